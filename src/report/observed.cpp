#include "report/observed.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

namespace ordercheck {
namespace {

Failure failure_of(const EvidenceRow& row) {
  return {.phase = find_phase(row.phase).value_or(Phase::build),
          .module = row.place,
          .operation = row.operation,
          .group = row.group,
          .message = row.message};
}

Outcome outcome_of(const EvidenceRow& row, const Case& subject, const EvidenceTable& table, const std::vector<Rule>& rules,
                   const Target& target) {
  Outcome outcome{.planned = {.subject = subject, .sources = {}}};
  outcome.record = {.case_text = row.case_text,
                    .engine = table.engine,
                    .versions = table.versions,
                    .device = table.device,
                    .ending = row.ending,
                    .collectives = row.collectives,
                    .counters = row.counters};
  if (!row.phase.empty()) outcome.record.failure = failure_of(row);
  outcome.judgement = {.verdict = row.verdict, .reason = row.message, .difference = {}, .effects = row.effects};
  outcome.prediction = predict(subject.stack, rules, target);
  hold_against_rules(outcome);
  return outcome;
}

// What must be so for the runs that the table holds.
Hello hello_of(const EvidenceTable& table) {
  std::set<std::string> transforms, models;
  for (const EvidenceRow& row : table.rows) {
    const auto c = parse_case(row.case_text);
    if (!c || row.ending == Ending::unsupported) continue;
    models.insert(c->model);
    for (const Item& item : c->stack.items) transforms.insert(item.name);
  }
  return {.engine = table.engine,
          .versions = table.versions,
          .devices = {table.device},
          .transforms = {transforms.begin(), transforms.end()},
          .models = {models.begin(), models.end()},
          .max_ranks = std::numeric_limits<int>::max()};
}

}  // namespace

std::vector<ObservedEngine> observed_engines(const Sources& sources) {
  std::vector<ObservedEngine> engines;
  for (const EvidenceTable& table : sources.evidence) {
    if (table.arithmetic != name_of(Arithmetic::exact)) continue;
    ObservedEngine engine{.target = target_of(hello_of(table)), .table = table, .outcomes = {}};
    for (const EvidenceRow& row : table.rows)
      if (const auto c = parse_case(row.case_text))
        engine.outcomes.push_back(outcome_of(row, *c, table, sources.rules, engine.target));
    hold_pairs_against_rules(engine.outcomes, sources.rules, engine.target);
    engines.push_back(std::move(engine));
  }
  return engines;
}

const Outcome* find_outcome(const ObservedEngine& engine, const Case& c) {
  const auto found = std::ranges::find_if(engine.outcomes, [&](const Outcome& o) { return o.planned.subject == c; });
  return found == engine.outcomes.end() ? nullptr : &*found;
}

std::vector<std::string> built_by(const ObservedEngine& engine) { return hello_of(engine.table).transforms; }

LeftOut left_out(const Sources& sources, const ObservedEngine& engine) {
  const Plan plan = make_plan(space_of(sources, engine.table.engine), sources.frameworks, sources.rules, hello_of(engine.table),
                              sources.threads);
  LeftOut left{.reasons = reasons_not_planned(plan), .planned_since = 0};
  for (const PlannedCase& planned : plan.cases)
    if (find_outcome(engine, planned.subject) == nullptr) ++left.planned_since;
  return left;
}

std::string evidence_page_of(const ObservedEngine& engine) {
  const std::string device = engine.table.device == "cpu" ? "" : "-" + engine.table.device;
  return fmt::format("{}-{}{}.md", engine.target.project, engine.target.version ? print(*engine.target.version) : "", device);
}

std::string print_engine(const ObservedEngine& engine) {
  return fmt::format("{}, {}", print(engine.target), engine.table.device);
}

}  // namespace ordercheck
