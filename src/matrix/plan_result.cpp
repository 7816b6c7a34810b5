#include "matrix/plan_result.h"

#include <algorithm>
#include <map>

#include "rules/holds.h"
#include "stack/transforms.h"

namespace ordercheck {

Target target_of(const Hello& hello) {
  Target target{.project = hello.engine, .implementation = "", .version = std::nullopt};
  if (auto version = parse_version(version_of(hello.versions))) target.version = *version;
  return target;
}

EvidenceTable head_of(const Hello& hello, Arithmetic arithmetic) {
  return {.engine = hello.engine,
          .versions = hello.versions,
          .device = hello.devices.empty() ? "" : hello.devices.front(),
          .arithmetic = name_of(arithmetic)};
}

EvidenceTable evidence_of(const PlanResult& result) {
  // Stacks that cast always run in float32, so they do not determine the table's arithmetic.
  const auto usual = std::ranges::find_if(
      result.cases, [](const CaseResult& one) { return std::ranges::none_of(one.planned.subject.stack.items, casts); });
  const Arithmetic arithmetic = usual == result.cases.end() ? Arithmetic::exact : usual->planned.subject.settings.arithmetic;
  EvidenceTable table = head_of(result.hello, arithmetic);
  table.controls = result.controls;
  for (const CaseResult& one : result.cases) table.rows.push_back(one.outcome.seen);
  std::ranges::sort(table.rows, {}, &Observation::case_text);
  return table;
}

Tally tally_of(const std::vector<Outcome>& outcomes, const std::vector<Control>& controls) {
  Tally tally;
  std::map<Verdict, int> verdicts;
  for (const Outcome& outcome : outcomes) {
    ++verdicts[outcome.seen.verdict];
    tally.confirmed += outcome.agreement == Agreement::confirmed;
    tally.open += outcome.agreement == Agreement::open;
    tally.undecided += outcome.agreement == Agreement::undecided;
    if (outcome.agreement == Agreement::contradiction) ++(outcome.explanation.empty() ? tally.contradictions : tally.explained);
  }
  tally.verdicts.assign(verdicts.begin(), verdicts.end());
  for (const Control& control : controls) tally.controls_failed += control.judged && !control.held;
  return tally;
}

Tally tally_of(const PlanResult& result) { return tally_of(outcomes_of(result), result.controls); }

std::vector<Outcome> outcomes_of(const PlanResult& result) {
  std::vector<Outcome> outcomes;
  for (const CaseResult& one : result.cases) outcomes.push_back(one.outcome);
  return outcomes;
}

}  // namespace ordercheck
