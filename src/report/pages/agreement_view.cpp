#include "report/pages/agreement_view.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "plan/result.h"
#include "report/pages/markdown.h"
#include "report/pages/runs_view.h"
#include "report/text/summary.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestPrinted = 240;

std::vector<ContradictionRow> contradictions_of(const EngineRuns& engine) {
  std::vector<ContradictionRow> rows;
  for (const Outcome& outcome : engine.outcomes) {
    if (outcome.agreement != Agreement::contradiction) continue;
    rows.push_back({.what = text_of(outcome.subject),
                    .claimed = outcome.disagreement,
                    .seen = code(shortened(reason_of(outcome.seen), kLongestPrinted)),
                    .explanation = outcome.explanation.empty() ? "no rule explains it" : outcome.explanation});
  }
  return rows;
}

std::vector<OpenCases> open_cases_of(const EngineRuns& engine) {
  std::vector<OpenCases> all;
  for (const auto& [why, cases] : open_cases(engine.outcomes)) {
    OpenCases& open = all.emplace_back(OpenCases{.why = why, .cases = {}});
    for (const Case& c : cases) open.cases.push_back(text_of(c));
  }
  return all;
}

std::string left_out_of(const Sources& sources, const EngineRuns& engine) {
  std::vector<std::string> parts;
  if (!decides(engine.table)) return "what only the CPU has runs of";
  const LeftOut left = left_out(sources, engine);
  for (const auto& [reason, count] : left.reasons) parts.push_back(fmt::format("{} ({})", reason, counted(count, "case")));
  if (left.planned_since > 0)
    parts.push_back(
        fmt::format("asked for by rules, orders or space, and not run yet ({})", counted(left.planned_since, "case")));
  return join(parts, "; ");
}

}  // namespace

AgreementView agreement_view(const Sources& sources, const EngineRuns& engine) {
  const Tally tally = tally_of(engine.outcomes, {});
  return {.title = print_engine(engine),
          .file = evidence_page_of(engine),
          .confirmed = std::to_string(tally.confirmed),
          .open = std::to_string(tally.open),
          .explained = std::to_string(tally.explained),
          .contradictions = std::to_string(tally.contradictions),
          .undecided = std::to_string(tally.undecided),
          .rows = contradictions_of(engine),
          .open_cases = decides(engine.table) ? open_cases_of(engine) : std::vector<OpenCases>{},  // told of the CPU's runs
          .left_out = left_out_of(sources, engine)};
}

}  // namespace ordercheck
