#include "report/pages/order_runs.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "check/partners.h"
#include "check/repair.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "rule/load.h"
#include "stack/backend.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

bool is_core(const Item& item, const std::string& sharding, const Topics& topics) {
  return item.name == sharding || contains(topics.core, item.name);
}

const Outcome* run_of(const Stack& stack, const EngineRuns& engine) {
  return find_outcome(engine, usual_case(stack, Case{}.model, engine.table.engine));
}

bool ran_equal(const Stack& stack, const EngineRuns& engine) {
  const Outcome* outcome = run_of(stack, engine);
  return outcome != nullptr && outcome->seen.verdict == Verdict::equal;
}

// Of a run of the stack with an optimizer that it does not name.
std::string trained_in_words(const Stack& ran, const Stack& stack) {
  return ran == stack || ran.items.empty() ? "" : fmt::format(" with {}", code(print(ran.items.back())));
}

std::string seen_of(const Stack& stack, const EngineRuns& engine) {
  if (const Outcome* outcome = run_of(stack, engine))
    return verdict_in_words(outcome->seen) + trained_in_words(outcome->subject.stack, stack);
  const Stack open = without_backend(stack);
  if (open == stack) return "not run yet";
  const Outcome* outcome = run_of(open, engine);
  if (outcome == nullptr) return fmt::format("not run under {} yet", kUsualBackend);
  return fmt::format("not run under {} yet; without it {}", kUsualBackend, verdict_in_words(outcome->seen));
}

std::string blocker_in_words(const Rule& rule, const Finding& finding, const Target& target, const Sources& sources) {
  return fmt::format("{} (since {}): {}", link_to(rule), since_in_words(rule, target, sources.observations), finding.headline);
}

OrderRun order_run(const Stack& stack, const Sources& sources, const EngineRuns& engine) {
  const Judge judge(sources.rules, engine.target, sources.observations);
  OrderRun made{.target = print(engine.target), .stack = stack, .seen = seen_of(stack, engine)};
  for (const Finding& finding : findings_of(stack, judge))
    if (finding.severity == Severity::error)
      made.blockers.push_back(blocker_in_words(*find_rule(sources.rules, finding.rule), finding, engine.target, sources));
  if (const auto cured = repaired(stack, judge); cured && keeps_every_transform(stack, *cured)) made.cure = cured;
  if (made.cure) made.cure_seen = seen_of(*made.cure, engine);
  made.holds = ran_equal(stack, engine) || (made.cure && ran_equal(*made.cure, engine));
  const bool cure_failed = made.cure && run_of(*made.cure, engine) != nullptr && !made.holds;
  made.no_known_cure = !made.holds && !made.blockers.empty() && (!made.cure || cure_failed);
  if (!made.holds && !made.no_known_cure)
    for (const Stack& wanted : made.cure ? std::vector{stack, *made.cure} : std::vector{stack})
      if (run_of(wanted, engine) == nullptr) made.to_run.push_back(wanted);
  // A few stacks are run on such a release: what rules say of it there is told, and what was not run is no gap.
  const bool neither_ran = made.to_run.size() == (made.cure ? 2u : 1u);
  made.of_few_runs = neither_ran && engine.target != reader_target(sources);
  return made;
}

}  // namespace

std::vector<OrderRun> order_runs(const Stack& order, const std::string& sharding, const Sources& sources,
                                 const std::vector<EngineRuns>& engines) {
  Stack core;
  for (const Item& item : order.items)
    if (is_core(item, sharding, sources.topics)) core.items.push_back(item);
  core = under_usual_backend(core);
  std::vector<OrderRun> runs;
  for (const EngineRuns& engine : engines) {
    if (engine.target.project != sources.reader) continue;
    const std::vector<std::string> built = built_by(engine);
    if (std::ranges::all_of(core.items, [&](const Item& item) { return contains(built, item.name); }))
      runs.push_back(order_run(core, sources, engine));
  }
  return runs;
}

bool nobody_builds(const std::string& sharding, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const auto lacks_it = [&](const EngineRuns& engine) {
    return engine.target.project != sources.reader || !contains(built_by(engine), sharding);
  };
  return !engines.empty() && std::ranges::all_of(engines, lacks_it);
}

std::vector<std::string> order_gaps(const Stack& order, const std::string& sharding, const Sources& sources,
                                    const std::vector<OrderRun>& runs) {
  std::vector<std::string> gaps, lacking;
  const auto is_in = [&](const std::string& name) {
    return std::ranges::find(order.items, name, &Item::name) != order.items.end();
  };
  std::vector<std::string> wanted = sources.topics.core;
  wanted.push_back(sharding);
  std::ranges::copy_if(wanted, std::back_inserter(lacking), [&](const std::string& name) { return !is_in(name); });
  if (!lacking.empty()) gaps.push_back(fmt::format("the recommended order with {} lacks {}", sharding, join(lacking, ", ")));
  if (runs.empty())
    gaps.push_back(
        fmt::format("the recommended order with {}: no committed run of {} is of all that it holds", sharding, sources.reader));
  for (const OrderRun& run : runs) {
    if (run.holds || run.no_known_cure || run.of_few_runs) continue;
    std::vector<std::string> stacks;
    for (const Stack& stack : run.to_run) stacks.push_back(print(stack));
    gaps.push_back(fmt::format("the recommended order with {} on {}: no committed run of {}{} is equal; {}", sharding,
                               run.target, print(run.stack), run.cure ? " or of its cure " + print(*run.cure) : "",
                               stacks.empty()
                                   ? "no rule says why: it takes one, with its cure or that there is none"
                                   : fmt::format("to run with that version: {} (scripts/ordercheck matrix run --engine "
                                                 "{} --tier full --write)",
                                                 join(stacks, " and "), sources.reader)));
  }
  return gaps;
}

}  // namespace ordercheck
