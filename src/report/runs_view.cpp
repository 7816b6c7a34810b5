#include "report/runs_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "plan/orders.h"
#include "plan/result.h"
#include "report/cost_view.h"
#include "report/markdown.h"
#include "report/rule_view.h"
#include "report/summary.h"
#include "rule/load.h"
#include "rule/pins.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestMessage = 240;

std::string codes(std::vector<std::string> texts) {
  for (std::string& text : texts) text = code(text);
  return join(texts, ", ");
}

// The case without the engine, which the whole page is about.
std::string text_of(const Case& c) {
  const std::string text = print(c);
  const std::string engine = " engine=" + c.engine;
  const auto at = text.find(engine);
  return code(at == std::string::npos ? text : text.substr(0, at) + text.substr(at + engine.size()));
}

RunRow run_row(const Sources& sources, const Outcome& outcome) {
  return {.text = text_of(outcome.subject),
          .verdict = verdict_in_words(outcome.seen),
          .seen = seen_text(outcome.seen),
          .rules = pages_that_fire(outcome, sources.rules)};
}

// Every order of at least two of the space's transforms, on the most ranks at which orders are tried.
std::vector<Case> ordered_cases(const Space& space, const std::string& engine) {
  std::vector<Case> cases;
  if (space.order_ranks.empty() || space.models.empty()) return cases;
  std::vector<Stack> stacks = orders(space.transforms, std::ranges::max(space.order_ranks));
  std::erase_if(stacks, [](const Stack& stack) { return stack.items.size() < 2; });
  std::ranges::stable_sort(stacks, std::greater<>{}, [](const Stack& stack) { return stack.items.size(); });
  for (Stack& stack : stacks) cases.push_back(usual_case(std::move(stack), space.models.front(), engine));
  return cases;
}

std::vector<ContradictionRow> contradictions_of(const EngineRuns& engine) {
  std::vector<ContradictionRow> rows;
  for (const Outcome& outcome : engine.outcomes) {
    if (outcome.agreement != Agreement::contradiction) continue;
    rows.push_back({.where = print(engine.target),
                    .what = code(print(outcome.subject)),
                    .claimed = outcome.disagreement,
                    .seen = code(shortened(reason_of(outcome.seen), kLongestMessage)),
                    .explanation = outcome.explanation.empty() ? "no page explains it" : outcome.explanation});
  }
  return rows;
}

std::vector<std::string> not_planned_of(const Sources& sources, const EngineRuns& engine) {
  std::vector<std::string> lines;
  const LeftOut left = left_out(sources, engine);
  for (const auto& [reason, count] : left.reasons) lines.push_back(fmt::format("{}: {}", counted(count, "case"), reason));
  if (left.planned_since > 0)
    lines.push_back(
        fmt::format("{}: asked for by rules, orders or space, and not in this table; `ordercheck matrix run "
                    "--write` runs what can be run",
                    counted(left.planned_since, "case")));
  return lines;
}

}  // namespace

std::string seen_text(const Observation& seen) {
  if (seen.verdict == Verdict::equal) return "bitwise equal";
  const std::string place = place_of(seen);
  if (seen.message.empty()) return place.empty() ? "no message" : place;
  const std::string message = code(shortened(reason_of(seen), kLongestMessage));
  return place.empty() || seen.verdict == Verdict::differs ? message : fmt::format("{}, in {}", message, place);
}

EngineView engine_view(const Sources& sources, const EngineRuns& engine) {
  const Tally tally = tally_of(engine.outcomes, engine.table.controls);
  std::vector<std::string> verdicts;
  for (const auto& [verdict, count] : tally.verdicts) verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  EngineView view{.title = print_engine(engine),
                  .versions = join(engine.table.versions, ", "),
                  .arithmetic = engine.table.arithmetic,
                  .cases = std::to_string(engine.outcomes.size()),
                  .verdicts = join(verdicts, ", "),
                  .agreement = fmt::format("{} confirmed, {} open, {} explained by a page, {} not explained, "
                                           "{} undecided",
                                           tally.confirmed, tally.open, counted(tally.explained, "contradiction"),
                                           tally.contradictions, tally.undecided)};
  for (const Control& control : engine.table.controls)
    view.controls.push_back(fmt::format("{} {}: {}", control.name,
                                        !control.judged ? "not judged"
                                        : control.held  ? "held"
                                                        : "FAILED",
                                        control.evidence));
  view.builds = codes(built_by(engine));
  view.file = evidence_page_of(engine);
  for (const Outcome& outcome : engine.outcomes) view.runs.push_back(run_row(sources, outcome));
  const Space& space = space_of(sources, engine.table.engine);
  const std::vector<Case> cases = ordered_cases(space, engine.table.engine);
  view.sets = set_views(sources, engine);
  std::vector<const Outcome*> legal;
  for (const Case& c : cases)
    if (const Outcome* run = find_outcome(engine, c); run != nullptr && shows_parity(run->seen.verdict)) legal.push_back(run);
  add_costs(legal, view);
  view.sent = sent_tables(sources, engine);
  view.contradictions = contradictions_of(engine);
  for (const Outcome& outcome : engine.outcomes)
    if (outcome.agreement == Agreement::undecided)
      view.undecided.push_back(
          fmt::format("{}, {}: {}", code(print(outcome.subject)), name_of(outcome.seen.verdict), outcome.seen.message));
  for (const auto& [why, cases] : open_cases(engine.outcomes)) view.open.push_back(fmt::format("{}: {}", why, codes(cases)));
  view.not_planned = not_planned_of(sources, engine);
  return view;
}

std::vector<ContradictionRow> stated_contradictions(const std::vector<Rule>& rules) {
  std::vector<ContradictionRow> rows;
  for (const Rule& rule : rules)
    for (const Expectation& expected : rule.expectations)
      if (departs(rule, expected))
        rows.push_back({.where = fmt::format("{} {}{}", expected.engine, print(expected.version),
                                             expected.stack ? " on " + code(print(*expected.stack)) : ""),
                        .what = link_to(rule, "rules/"),
                        .claimed = rule.kind == RuleKind::commutes ? "equal" : name_of(verdict_of(rule.harm)),
                        .seen = name_of(expected.verdict),
                        .explanation = expected.because});
  return rows;
}

}  // namespace ordercheck
