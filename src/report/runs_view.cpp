#include "report/runs_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "matrix/orders.h"
#include "matrix/run.h"
#include "matrix/summary.h"
#include "report/cost_view.h"
#include "report/markdown.h"
#include "report/rule_view.h"
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

bool is_broken(Verdict verdict) { return !shows_parity(verdict); }

std::string mechanism_of(const Outcome& outcome, const std::vector<Rule>& rules) {
  if (!is_broken(outcome.judgement.verdict)) return "";
  const Rule* rule = find_rule(rules, outcome.prediction.rule);
  if (rule == nullptr) return "no page speaks about it";
  const bool theirs = speaks_about(*rule, "pytorch");
  return fmt::format("{}, for {} ([limits](rules/{}#limits))", theirs ? "the page claims so" : "the page does not claim so",
                     holds_in_words(*rule), page_of(*rule));
}

RunRow run_row(const Sources& sources, const ObservedEngine& engine, const Case& c) {
  const Outcome* outcome = find_outcome(engine, c);
  const EvidenceRow* row = find_row(engine.table, print(c));
  if (outcome == nullptr || row == nullptr) return {.order = code(print(c.stack)), .verdict = "not run"};
  return {.order = code(print(c.stack)),
          .verdict = name_of(row->verdict),
          .phase = row->phase,
          .seen = seen_text(*outcome, *row),
          .rules = pages_that_fire(*outcome, sources.rules),
          .mechanism = mechanism_of(*outcome, sources.rules)};
}

// Every order of at least two of the space's transforms, on the most ranks at which orders are tried.
std::vector<Case> ordered_cases(const Space& space, const std::string& engine) {
  std::vector<Case> cases;
  if (space.order_ranks.empty() || space.models.empty()) return cases;
  std::vector<Stack> stacks = orders(space.transforms, std::ranges::max(space.order_ranks));
  std::erase_if(stacks, [](const Stack& stack) { return stack.items.size() < 2; });
  std::ranges::stable_sort(stacks, std::greater<>{}, [](const Stack& stack) { return stack.items.size(); });
  for (Stack& stack : stacks)
    cases.push_back(usual_case(std::move(stack), space.models.front(), engine));
  return cases;
}

std::vector<ContradictionRow> contradictions_of(const ObservedEngine& engine) {
  std::vector<ContradictionRow> rows;
  for (const Outcome& outcome : engine.outcomes) {
    if (outcome.agreement != Agreement::contradiction) continue;
    rows.push_back({.where = print(engine.target),
                    .what = code(print(outcome.planned.subject)),
                    .claimed = outcome.disagreement,
                    .seen = code(shortened(outcome.judgement.reason, kLongestMessage)),
                    .explanation = outcome.explanation.empty() ? "no page explains it" : outcome.explanation});
  }
  return rows;
}

std::vector<std::string> not_planned_of(const Sources& sources, const ObservedEngine& engine) {
  std::vector<std::string> lines;
  const LeftOut left = left_out(sources, engine);
  for (const auto& [reason, count] : left.reasons) lines.push_back(fmt::format("{}: {}", counted(count, "case"), reason));
  if (left.planned_since > 0)
    lines.push_back(fmt::format("{}: asked for by rules, orders or space, and not in this table; `ordercheck matrix run "
                                "--write` runs what can be run",
                                counted(left.planned_since, "case")));
  return lines;
}

}  // namespace

std::string seen_text(const Outcome& outcome, const EvidenceRow& row) {
  if (outcome.judgement.verdict == Verdict::equal) return "every bit of one rank";
  const std::string place = place_in_words(row);
  if (row.message.empty()) return place.empty() ? "no message" : place;
  const std::string message = code(shortened(row.message, kLongestMessage));
  return place.empty() || outcome.judgement.verdict == Verdict::differs ? message
                                                                        : fmt::format("{}, in {}", message, place);
}

EngineView engine_view(const Sources& sources, const ObservedEngine& engine) {
  const MatrixResult result{.outcomes = engine.outcomes, .controls = engine.table.controls};
  const Tally tally = tally_of(result);
  std::vector<std::string> verdicts;
  for (const auto& [verdict, count] : tally.verdicts) verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  EngineView view{.title = print_engine(engine),
                  .versions = join(engine.table.versions, ", "),
                  .arithmetic = engine.table.arithmetic,
                  .cases = std::to_string(engine.outcomes.size()),
                  .verdicts = join(verdicts, ", "),
                  .agreement = fmt::format("{} confirmed, {} open, {} explained by a page, {} not explained, "
                                           "{} undecided",
                                           tally.confirmed, tally.open, counted(tally.explained, "contradiction"), tally.contradictions,
                                           tally.undecided)};
  for (const Control& control : engine.table.controls)
    view.controls.push_back(fmt::format("{} {}: {}", control.name, !control.judged ? "not judged" : control.held ? "held" : "FAILED", control.evidence));
  view.builds = codes(built_by(engine));
  const Space& space = space_of(sources, engine.table.engine);
  const std::vector<Case> cases = ordered_cases(space, engine.table.engine);
  if (!cases.empty())
    view.orders_of = fmt::format("{} on {}", codes(space.transforms), counted(std::ranges::max(space.order_ranks), "rank"));
  view.sets = set_views(sources, engine);
  std::vector<std::pair<Case, const EvidenceRow*>> legal;
  for (const Case& c : cases) {
    view.runs.push_back(run_row(sources, engine, c));
    view.runs.back().whole = c.stack.items.size() == space.transforms.size();
    if (const EvidenceRow* row = find_row(engine.table, print(c)); row && shows_parity(row->verdict))
      legal.emplace_back(c, row);
  }
  add_costs(legal, view);
  view.contradictions = contradictions_of(engine);
  for (const Outcome& outcome : engine.outcomes)
    if (outcome.agreement == Agreement::undecided)
      view.undecided.push_back(fmt::format("{}, {}: {}", code(print(outcome.planned.subject)),
                                           name_of(outcome.judgement.verdict), outcome.judgement.reason));
  for (const auto& [why, cases] : open_cases(engine.outcomes))
    view.open.push_back(fmt::format("{}: {}", why, codes(cases)));
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
