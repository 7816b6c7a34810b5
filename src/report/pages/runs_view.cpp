#include "report/pages/runs_view.h"

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/plan_result.h"
#include "report/pages/markdown.h"
#include "report/text/summary.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestPrinted = 240;

// Prints the case without ` engine=...`, since the table row names the engine.
std::string text_of(const Case& c) {
  const std::string text = print(c);
  const std::string engine = " engine=" + c.engine;
  const auto at = text.find(engine);
  return code(at == std::string::npos ? text : text.substr(0, at) + text.substr(at + engine.size()));
}

std::vector<ContradictionRow> contradictions_of(const EngineRuns& engine) {
  std::vector<ContradictionRow> rows;
  for (const Outcome& outcome : engine.outcomes) {
    if (outcome.agreement != Agreement::contradiction) continue;
    rows.push_back({.engine = print_engine(engine),
                    .what = text_of(outcome.subject),
                    .claimed = outcome.disagreement,
                    .seen = code(shortened(reason_of(outcome.seen), kLongestPrinted)),
                    .explanation = outcome.explanation.empty() ? "no rule explains it" : outcome.explanation});
  }
  return rows;
}

}  // namespace

EngineView engine_view(const Sources& sources, const EngineRuns& engine) {
  const Tally tally = tally_of(engine.outcomes, {});
  std::vector<std::string> verdicts;
  for (const auto& [verdict, count] : tally.verdicts) verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  EngineView view{.title = print_engine(engine),
                  .versions = join(engine.table.versions, ", "),
                  .arithmetic = engine.table.arithmetic,
                  .cases = std::to_string(engine.outcomes.size()),
                  .verdicts = join(verdicts, ", "),
                  .confirmed = std::to_string(tally.confirmed),
                  .open = std::to_string(tally.open),
                  .explained = std::to_string(tally.explained),
                  .contradictions = std::to_string(tally.contradictions),
                  .undecided = std::to_string(tally.undecided),
                  .controls = {},
                  .rows = contradictions_of(engine),
                  .sent = sent_tables(sources, engine)};
  for (const Control& control : engine.table.controls)
    view.controls.push_back(fmt::format("{} {}: {}", control.name,
                                        !control.judged ? "not judged"
                                        : control.held  ? "held"
                                                        : "FAILED",
                                        control.evidence));
  return view;
}

}  // namespace ordercheck
