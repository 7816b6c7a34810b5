#include "rules/observations.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "rules/pins.h"
#include "stack/case.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

using Texts = std::set<std::string, std::less<>>;

// The texts of cases whose runs grade rules: example stacks and stacks of [[expect]] entries, also with compile=inductor.
Texts grading_cases(const std::vector<const Rule*>& rules, const std::string& engine) {
  Texts texts;
  const auto add = [&](const Stack& stack, const Witness& witness) {
    Case c = case_of(stack, witness, engine);
    texts.insert(print(c));
    if (const auto usual = under_usual_backend(std::move(c))) texts.insert(print(*usual));
  };
  for (const Rule* rule : rules) {
    add(rule->witness.bad, rule->witness);
    add(rule->witness.good, rule->witness);
    for (const Expectation& pin : rule->expectations)
      if (pin.stack) add(*pin.stack, rule->witness);
  }
  return texts;
}

// Created per engine at its first row.
class GradingCases {
 public:
  explicit GradingCases(std::vector<const Rule*> rules) : rules_(std::move(rules)) {}
  bool holds(const std::string& engine, std::string_view case_text) {
    const auto [texts, is_new] = by_engine_.try_emplace(engine);
    if (is_new) texts->second = grading_cases(rules_, engine);
    return texts->second.find(case_text) != texts->second.end();
  }

 private:
  std::vector<const Rule*> rules_;
  std::map<std::string, Texts> by_engine_;
};

// Whether a row's case names inductor. Such a row shows that the engine ran both backends.
bool says_usual_backend(std::string_view case_text) { return case_text.find(kUsualBackend) != std::string_view::npos; }

bool is_own(const EvidenceTable& head, const Target& target) {
  const Result<Version> version = parse_version(version_of(head.versions));
  return head.engine == target.project && version && target.version && *version == *target.version;
}

}  // namespace

ReadingOf reading_own(const Target& target, const std::vector<Rule>& rules) {
  std::vector<const Rule*> all;
  for (const Rule& rule : rules) all.push_back(&rule);
  auto grading = std::make_shared<GradingCases>(std::move(all));
  return [grading, target](const EvidenceTable& head, std::string_view case_text) {
    if (!decides(head) || !is_own(head, target)) return Reading::skip;
    return grading->holds(head.engine, case_text) ? Reading::whole : Reading::brief;
  };
}

ReadingOf reading_others(const Target& target, const std::vector<Rule>& rules, const std::vector<Observation>& own) {
  std::vector<const Rule*> open;
  for (const Rule& rule : rules) {
    const bool by_runs = speaks_about(rule, target.project);  // or about the mathematics
    // Rules that the target's own runs reproduce need no runs of other versions.
    if (by_runs && grade_of(rule, target, own).kind != GradeKind::reproduced) open.push_back(&rule);
  }
  auto grading = std::make_shared<GradingCases>(std::move(open));
  return [grading, target](const EvidenceTable& head, std::string_view case_text) {
    if (!decides(head) || is_own(head, target)) return Reading::skip;
    // An empty case asks about the whole table.
    if (case_text.empty()) return Reading::brief;
    if (grading->holds(head.engine, case_text)) return Reading::whole;
    return says_usual_backend(case_text) ? Reading::brief : Reading::skip;
  };
}

std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables) {
  std::vector<Observation> seen;
  for (const EvidenceTable& table : tables) {
    if (!decides(table)) continue;
    std::vector<Observation> of_table = table.rows;
    prefer_usual_backend(of_table);
    seen.insert(seen.end(), std::make_move_iterator(of_table.begin()), std::make_move_iterator(of_table.end()));
  }
  return seen;
}

namespace {

bool is_decided(Verdict verdict) { return verdict != Verdict::unrun && verdict != Verdict::unstable; }

// Check the text first: parsing thousands of cases is slow.
bool says(const Observation& seen, std::string_view word) { return seen.case_text.find(word) != std::string::npos; }

bool ran_under_it(const Observation& seen) {
  if (!says(seen, kUsualBackend)) return false;
  const Result<Case> ran = parse_case(seen.case_text);
  return ran && names_usual_backend(ran->stack);
}

}  // namespace

std::optional<Case> under_usual_backend(Case c) {
  if (std::ranges::none_of(c.stack.items, leaves_backend_open)) return std::nullopt;
  c.stack = under_usual_backend(std::move(c.stack));
  return c;
}

void prefer_usual_backend(std::vector<Observation>& observations) {
  if (std::ranges::none_of(observations, ran_under_it)) return;
  // Rows with a named backend do not change below, so indices suffice.
  std::map<std::string, std::size_t> by_text;
  for (std::size_t i = 0; i < observations.size(); ++i) by_text.emplace(observations[i].case_text, i);
  for (Observation& seen : observations) {
    if (!says(seen, "compile")) continue;
    const Result<Case> ran = parse_case(seen.case_text);
    const auto usual = ran ? under_usual_backend(*ran) : std::nullopt;
    if (!usual) continue;
    const auto found = by_text.find(print(*usual));
    const Observation* there = found == by_text.end() ? nullptr : &observations[found->second];
    if (there == nullptr || !is_decided(there->verdict)) {
      seen.backend = fmt::format("run without {}'s code generation only", kUsualBackend);
    } else if (seen.verdict == Verdict::ignored && shows_parity(there->verdict)) {
      // An effect lost without code generation is lost with it too; generated code hides products from the counters.
      seen.backend = fmt::format("counted without {}'s code generation, which hides it", kUsualBackend);
    } else if (there->verdict == seen.verdict) {
      seen.backend = fmt::format("the same with {}'s code generation and without it", kUsualBackend);
    } else {
      std::string case_text = std::move(seen.case_text);
      const Verdict open = seen.verdict;
      seen = *there;
      seen.case_text = std::move(case_text);
      seen.backend = fmt::format("with {}'s code generation; without it {}", kUsualBackend, name_of(open));
    }
  }
}

}  // namespace ordercheck
