#include "report/pages/runs_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "plan/result.h"
#include "report/pages/markdown.h"
#include "report/text/summary.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestMessage = 240;

// The first difference, or a failure's message and its place.
std::string seen_text(const Observation& seen) {
  if (seen.verdict == Verdict::equal) return "";
  const std::string place = place_of(seen);
  if (seen.message.empty()) return place.empty() ? "no message" : place;
  const std::string message = code(shortened(reason_of(seen), kLongestMessage));
  return place.empty() || seen.verdict == Verdict::differs ? message : fmt::format("{}, in {}", message, place);
}

// "in apply" of "fails in apply".
std::string phase_in_words(const Observation& seen) {
  return std::string(trim(verdict_in_words(seen).substr(std::string_view(name_of(seen.verdict)).size())));
}

std::vector<VerdictGroup> grouped(const EngineRuns& engine) {
  std::map<Verdict, std::vector<SeenGroup>> verdicts;
  for (const Outcome& outcome : engine.outcomes) {
    const std::string place = phase_in_words(outcome.seen), seen = seen_text(outcome.seen);
    std::vector<SeenGroup>& groups = verdicts[outcome.seen.verdict];
    auto same = std::ranges::find_if(groups, [&](const SeenGroup& g) { return g.place == place && g.seen == seen; });
    if (same == groups.end()) same = groups.insert(same, {.place = place, .seen = seen, .cases = {}});
    same->cases.push_back(text_of(outcome.subject));
  }
  std::vector<VerdictGroup> made;
  for (auto& [verdict, groups] : verdicts) {
    std::ptrdiff_t count = 0;
    for (const SeenGroup& group : groups) count += std::ssize(group.cases);
    made.push_back({.verdict = name_of(verdict), .cases = counted(count, "case"), .groups = std::move(groups)});
  }
  return made;
}

}  // namespace

std::string text_of(const Case& c) {
  const std::string text = print(c);
  const std::string engine = " engine=" + c.engine;
  const auto at = text.find(engine);
  return code(at == std::string::npos ? text : text.substr(0, at) + text.substr(at + engine.size()));
}

EngineView engine_view(const Sources& sources, const EngineRuns& engine) {
  std::vector<std::string> verdicts;
  for (const auto& [verdict, count] : tally_of(engine.outcomes, {}).verdicts)
    verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  EngineView view{.title = print_engine(engine),
                  .versions = join(engine.table.versions, ", "),
                  .arithmetic = engine.table.arithmetic,
                  .cases = std::to_string(engine.outcomes.size()),
                  .verdicts = join(verdicts, ", "),
                  .controls = {},
                  .file = evidence_page_of(engine),
                  .sends_file = "",
                  .runs = grouped(engine),
                  .sets = set_views(sources, engine),
                  .sent = sent_tables(sources, engine)};
  if (!view.sent.empty()) view.sends_file = sends_page_of(engine);
  for (const Control& control : engine.table.controls)
    view.controls.push_back(fmt::format("{} {}: {}", control.name,
                                        !control.judged ? "not judged"
                                        : control.held  ? "held"
                                                        : "FAILED",
                                        control.evidence));
  return view;
}

}  // namespace ordercheck
