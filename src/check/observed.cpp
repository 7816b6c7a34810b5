#include "check/observed.h"

#include <map>
#include <memory>
#include <set>
#include <string>

#include "check/inductor.h"
#include "stack/case.h"

namespace ordercheck {
namespace {

std::vector<std::string> lost_in(const EvidenceRow& row) {
  std::vector<std::string> items;
  for (const Effect& effect : lost_effects(row.effects)) items.push_back(effect.transform);
  return items;
}

// Cases by which pages are graded: the stacks of their witnesses and pins, and the same under inductor.
std::set<std::string> grading_cases(const std::vector<Rule>& rules, const std::string& engine) {
  std::set<std::string> texts;
  const auto add = [&](const Stack& stack, const std::string& model) {
    Case c = usual_case(stack, model, engine);
    texts.insert(print(c));
    if (const auto inductor = under_inductor(std::move(c))) texts.insert(print(*inductor));
  };
  for (const Rule& rule : rules) {
    add(rule.witness.bad, rule.witness.model);
    add(rule.witness.good, rule.witness.model);
    for (const Expectation& pin : rule.expectations)
      if (pin.stack) add(*pin.stack, rule.witness.model);
  }
  return texts;
}

bool is_own(const EvidenceTable& head, const Target& target) {
  const Result<Version> version = parse_version(version_of(head.versions));
  return head.engine == target.project && version && target.version && *version == *target.version;
}

}  // namespace

ReadingOf reading_for(const Target& target, const std::vector<Rule>& rules) {
  // Made when the first row of an engine is met, and kept from row to row.
  auto grading = std::make_shared<std::map<std::string, std::set<std::string>, std::less<>>>();
  return [grading, target, &rules](const EvidenceTable& head, std::string_view case_text) {
    if (head.arithmetic != name_of(Arithmetic::exact)) return Reading::skip;
    const auto [texts, is_new] = grading->try_emplace(head.engine);
    if (is_new) texts->second = grading_cases(rules, head.engine);
    if (texts->second.contains(std::string(case_text))) return Reading::whole;
    return is_own(head, target) ? Reading::brief : Reading::skip;
  };
}

std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables) {
  std::vector<Observation> seen;
  for (const EvidenceTable& table : tables) {
    if (table.arithmetic != name_of(Arithmetic::exact)) continue;
    std::vector<Observation> of_table;
    of_table.reserve(table.rows.size());
    for (const EvidenceRow& row : table.rows)
      of_table.push_back({.engine = table.engine,
                          .version = version_of(table.versions),
                          .case_text = row.case_text,
                          .verdict = row.verdict,
                          .phase = find_phase(row.phase),
                          .message = row.message,
                          .operation = row.operation,
                          .group = row.group,
                          .lost = lost_in(row),
                          .counters = counter_values(row.counters, row.collectives)});
    let_inductor_decide(of_table);
    seen.insert(seen.end(), std::make_move_iterator(of_table.begin()), std::make_move_iterator(of_table.end()));
  }
  return seen;
}

}  // namespace ordercheck
