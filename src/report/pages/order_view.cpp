#include "report/pages/order_view.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/orders.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "report/pages/shown.h"
#include "rules/item_matching.h"
#include "rules/load.h"
#include "rules/match.h"
#include "rules/orders.h"
#include "rules/repair.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

bool is_named(const std::vector<Rule>& rules, const std::set<RuleKind>& kinds, const std::string& name) {
  return std::ranges::any_of(rules, [&](const Rule& rule) { return kinds.contains(rule.kind) && names(rule, name); });
}

// True if some clash page excludes two of the transforms for good: its cure drops one of them. Ignores defects of other
// projects' implementations.
bool excludes(const Stack& stack, const Sources& sources) {
  return std::ranges::any_of(sources.rules, [&](const Rule& rule) {
    return rule.kind == RuleKind::clash && !is_silent_for(rule, sources.reader) &&
           !keeps_every_transform(rule.witness.bad, rule.witness.good) && !firings(rule, stack).empty();
  });
}

// An order contains only one of these: `first` below.
bool is_data_parallel(const TransformInfo& info) {
  return !info.axes.empty() && std::ranges::all_of(info.axes, [](const std::string& axis) { return axis.starts_with("dp_"); });
}

// Returns `first` and every other transform in order rules that the previous ones do not exclude, in the catalogue's order.
Stack items_around(const std::string& first, const Sources& sources) {
  std::set<std::string> taken{first};
  const auto stack_of_taken = [&] {
    Stack stack;
    for (const TransformInfo& info : transforms())
      if (taken.contains(info.name)) stack.items.push_back(item_named(info.name));
    return stack;
  };
  for (const TransformInfo& info : transforms()) {
    if (info.between || is_data_parallel(info) || taken.contains(info.name) ||
        !is_named(sources.rules, {RuleKind::order}, info.name))
      continue;
    taken.insert(info.name);
    if (excludes(stack_of_taken(), sources)) taken.erase(info.name);
  }
  return stack_of_taken();
}

std::vector<std::string> in_no_run(const std::vector<std::string>& names, const std::vector<EngineRuns>& engines) {
  std::vector<std::string> missing;
  for (const std::string& name : names)
    if (std::ranges::none_of(engines, [&](const EngineRuns& engine) { return contains(built_by(engine), name); }))
      missing.push_back(name);
  return engines.empty() ? std::vector<std::string>{} : missing;
}

PairReason reason_for(const Rule& rule, const std::string& pair, const Sources& sources,
                      const std::vector<EngineRuns>& engines) {
  return {.pair = pair,
          .rule = link_to(rule),
          .reason = reason_of(rule),
          .cite = rule.citations.empty() ? "" : source_in_words(rule.citations.front()),
          .other_way = in_words(shown_by(rule.witness.bad, sources, engines))};
}

// The pages that fire if the two are swapped; else the pages that allow both orders; else one entry without a page.
std::vector<PairReason> reasons_for(const Item& before, const Item& after, const Sources& sources,
                                    const std::vector<EngineRuns>& engines) {
  const std::string pair = fmt::format("{} before {}", code(before.name), code(after.name));
  const Stack turned{.items = {after, before}};
  std::vector<const Rule*> rules;
  for (const Rule& rule : sources.rules)
    if (rule.kind == RuleKind::order && !firings(rule, turned).empty()) rules.push_back(&rule);
  // Drop rules about other versions if a rule about the reader's version fires.
  const auto holds = [&](const Rule* rule) { return holds_for(*rule, reader_target(sources)); };
  if (std::ranges::any_of(rules, holds)) std::erase_if(rules, [&](const Rule* rule) { return !holds(rule); });
  std::vector<PairReason> reasons;
  for (const Rule* rule : rules) reasons.push_back(reason_for(*rule, pair, sources, engines));
  for (const Rule& rule : sources.rules)
    if (reasons.empty() && rule.kind == RuleKind::commutes && !commuting_pairs(rule, turned).empty())
      reasons.push_back(reason_for(rule, pair + ", or the other way", sources, engines));
  if (reasons.empty()) reasons.push_back({.pair = pair, .reason = "no rule orders the two"});
  return reasons;
}

}  // namespace

Item item_named(const std::string& name) { return with_degrees(Stack{.items = {Item{.name = name}}}).items.front(); }

std::vector<std::string> known_transforms(const std::vector<Rule>& rules) {
  std::vector<std::string> known;
  for (const TransformInfo& info : transforms())
    if (!info.between && is_named(rules, {RuleKind::order, RuleKind::clash, RuleKind::commutes}, info.name))
      known.push_back(info.name);
  return known;
}

std::vector<std::string> run_names(const RecommendedOrder& order) {
  std::vector<std::string> names = order.names;
  std::erase_if(names, [&](const std::string& name) { return contains(order.not_run, name); });
  return names;
}

std::vector<RecommendedOrder> recommended_orders(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Judge judge(sources.rules, reader_target(sources), sources.observations);
  std::vector<RecommendedOrder> orders;
  for (const std::string& sharding : sources.topics.shardings) {
    if (!is_named(sources.rules, {RuleKind::order}, sharding)) continue;
    const Stack order = recommended_order(items_around(sharding, sources), judge);
    std::vector<std::string> names;
    for (const Item& item : order.items) names.push_back(item.name);
    RecommendedOrder made{.title = "With " + code(sharding),
                          .names = names,
                          .reasons = {},
                          .runs = order_runs(order, sharding, sources, engines)};
    made.not_run = in_no_run(names, engines);
    if (!nobody_builds(sharding, sources, engines)) made.gaps = order_gaps(order, sharding, sources, made.runs);
    for (std::size_t i = 0; i + 1 < order.items.size(); ++i)
      for (PairReason& reason : reasons_for(order.items[i], order.items[i + 1], sources, engines))
        made.reasons.push_back(std::move(reason));
    orders.push_back(std::move(made));
  }
  return orders;
}

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

// Names the optimizer that the run added to the stack.
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
  // Only a few stacks run on such a release, so a stack that was not run there is no gap.
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

OrderAnswer order_answer(const std::vector<RecommendedOrder>& orders, const PairTable& pairs, const Sources& sources,
                         const std::vector<EngineRuns>& engines) {
  OrderAnswer answer{.target = print(reader_target(sources))};
  for (const EngineRuns& engine : engines)
    if (engine.target.project == sources.reader && engine.target.version)
      answer.versions.push_back(print(*engine.target.version));
  std::ranges::copy_if(pairs.rows, std::back_inserter(answer.silent), [](const PairTableRow& row) {
    return !row["between"] && is_silent(*find_named<Shown>(row["shown"].get<std::string>()));
  });
  if (orders.empty()) return answer;
  const RecommendedOrder& order = orders.front();
  answer.names = run_names(order);
  answer.left_out = order.not_run;
  for (const OrderRun& run : order.runs) {
    if (run.target != answer.target) continue;
    answer.whole_order = shown_by(run.stack, sources, engines);
    if (!run.blockers.empty()) answer.blocked.push_back(run);
  }
  return answer;
}

}  // namespace ordercheck
