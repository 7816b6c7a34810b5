#include "report/pages/order_view.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "check/orders.h"
#include "check/partners.h"
#include "plan/orders.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "report/pages/shown.h"
#include "rule/match.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

bool is_named(const std::vector<Rule>& rules, const std::set<RuleKind>& kinds, const std::string& name) {
  return std::ranges::any_of(rules, [&](const Rule& rule) { return kinds.contains(rule.kind) && names(rule, name); });
}

// Some page keeps two of them apart for good: its cure gives one of them up. A defect of another project's own is none of the
// reader's.
bool excludes(const Stack& stack, const Sources& sources) {
  return std::ranges::any_of(sources.rules, [&](const Rule& rule) {
    return rule.kind == RuleKind::clash && !is_silent_for(rule, sources.reader) &&
           !keeps_every_transform(rule.witness.bad, rule.witness.good) && !firings(rule, stack).empty();
  });
}

// One of these is in an order, and `first` is it.
bool is_data_parallel(const TransformInfo& info) {
  return !info.axes.empty() && std::ranges::all_of(info.axes, [](const std::string& axis) { return axis.starts_with("dp_"); });
}

// `first`, then every other transform that order rules name and that none so far excludes, in the catalogue's order.
Stack items_around(const std::string& first, const Sources& sources) {
  std::set<std::string> taken{first};
  const auto stack_of_taken = [&] {
    Stack stack;
    for (const TransformInfo& info : transforms())
      if (taken.contains(info.name)) stack.items.push_back(item_named(info.name));
    return stack;
  };
  for (const TransformInfo& info : transforms()) {
    if (is_data_parallel(info) || taken.contains(info.name) || !is_named(sources.rules, {RuleKind::order}, info.name)) continue;
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

// The pages that fire when the two change places; else the pages that let them; else one entry without a page.
std::vector<PairReason> reasons_for(const Item& before, const Item& after, const Sources& sources,
                                    const std::vector<EngineRuns>& engines) {
  const std::string pair = fmt::format("{} before {}", code(before.name), code(after.name));
  const Stack turned{.items = {after, before}};
  std::vector<PairReason> reasons;
  for (const Rule& rule : sources.rules)
    if (rule.kind == RuleKind::order && !firings(rule, turned).empty())
      reasons.push_back(reason_for(rule, pair, sources, engines));
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
    if (is_named(rules, {RuleKind::order, RuleKind::clash, RuleKind::commutes}, info.name)) known.push_back(info.name);
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

}  // namespace ordercheck
