#include "rules/orders.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>
#include <tuple>

#include "rules/load.h"
#include "rules/match.h"
#include "rules/precedence.h"
#include "rules/target_runs.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

Stack in_order(const Stack& stack, const std::vector<std::size_t>& order) {
  Stack made;
  for (const std::size_t index : order) made.items.push_back(stack.items[index]);
  return made;
}

}  // namespace

Stack recommended_order(const Stack& stack, const Judge& judge) {
  const Precedences precedences(stack, judge);
  if (precedences.are_contradictory()) return stack;
  return in_order(stack, stable_order(stack.items.size(), precedences.kept()));
}

LegalOrders legal_orders(const Stack& items, const Judge& judge, std::size_t at_most) {
  const OrderWalk walk(items, judge);
  LegalOrders legal;
  legal.all = items.items.size() <= OrderWalk::kMostItems;
  std::map<std::string, Stack> by_text;
  legal.all = legal.all && walk.each([&](std::span<const std::uint8_t> order) {
    if (by_text.size() == at_most) return false;
    Stack stack;
    for (const std::uint8_t index : order) stack.items.push_back(items.items[index]);
    by_text.emplace(print(stack), std::move(stack));
    return true;
  });
  for (auto& [text, stack] : by_text) legal.orders.push_back(std::move(stack));
  return legal;
}

std::vector<BrokenEdge> orders_that_break_one_edge(const Stack& items, const Judge& judge) {
  PrecedenceGraph graph = precedence_graph(items, judge);
  if (!graph.cycle.empty()) return {};
  // Drop edges of advice. The order may violate them too, and they could make reversing an error edge impossible.
  std::erase_if(graph.edges, [](const PrecedenceEdge& edge) { return !edge.is_error; });
  std::vector<BrokenEdge> broken;
  for (const PrecedenceEdge& edge : irreducible_edges(graph)) {
    // The edge is irreducible, so no other path connects its ends and reversing it closes no cycle.
    PrecedenceGraph turned = graph;
    for (PrecedenceEdge& one : turned.edges)
      if (one.before == edge.before && one.after == edge.after) std::swap(one.before, one.after);
    std::ranges::sort(turned.edges, {}, [](const PrecedenceEdge& one) { return std::pair(one.before, one.after); });
    broken.push_back({.order = in_order(items, stable_order(turned)), .rules = edge.rules});
  }
  return broken;
}

OrderWalk::OrderWalk(const Stack& stack, const Judge& judge) : items_(stack.items.size()) {
  if (items_ > kMostItems) {
    possible_ = false;
    return;
  }
  const auto bit = [](std::size_t item) { return std::uint64_t{1} << item; };
  for (std::size_t item = 0; item < items_; ++item) {
    all_ |= bit(item);
    // Equal items keep their order, so that no order comes twice.
    for (std::size_t other = 0; other < item; ++other)
      if (stack.items[other] == stack.items[item]) before_[item] |= bit(other);
  }
  StackMatch match = judge.match(stack);
  for (const std::size_t page : match.commuting())
    if (judge.stands(judge.rules()[page]))
      for (const CommutingPair& pair : match.commuting_pairs(page)) {
        commutes_[pair.first] |= bit(pair.second);
        commutes_[pair.second] |= bit(pair.first);
      }
  const Precedences precedences(stack, judge);
  possible_ = !precedences.are_contradictory();
  for (const Precedence& one : precedences.kept()) {
    if (one.strength == Strength::error) before_[one.after] |= bit(one.before);
    // A rule that orders two items overrides a page that lets them swap.
    commutes_[one.before] &= ~bit(one.after);
    commutes_[one.after] &= ~bit(one.before);
  }
}

namespace {

constexpr std::size_t kMostCounted = 99;

Stack as_in_catalogue(Stack items) {
  const auto place = [](const Item& item) { return std::tuple(&info_of(item) - transforms().data(), print(item)); };
  std::ranges::stable_sort(items.items, {}, place);
  return items;
}

const Rule* commuting_page(const Stack& stack, std::size_t first, std::size_t second, const Judge& judge) {
  StackMatch match = judge.match(stack);
  for (const std::size_t page : match.commuting())
    for (const CommutingPair& pair : match.commuting_pairs(page))
      if (pair.first == first && pair.second == second) return &judge.rules()[page];
  return nullptr;
}

// Adds one OrderReason per rule that requires the edge.
void add_reasons(const PrecedenceEdge& edge, const Judge& judge, std::vector<OrderReason>& reasons) {
  for (const std::string& id : edge.rules) reasons.push_back({edge.before, edge.after, find_rule(judge.rules(), id)});
}

std::vector<OrderReason> reasons_of(const Stack& order, const PrecedenceGraph& graph, const Judge& judge) {
  std::vector<OrderReason> reasons;
  for (std::size_t i = 0; i + 1 < order.items.size(); ++i) {
    const auto edge =
        std::ranges::find_if(graph.edges, [i](const PrecedenceEdge& e) { return e.before == i && e.after == i + 1; });
    if (edge != graph.edges.end()) {
      add_reasons(*edge, judge, reasons);
      continue;
    }
    const Rule* page = commuting_page(order, i, i + 1, judge);
    reasons.push_back({i, i + 1, page, page != nullptr});
  }
  for (const PrecedenceEdge& edge : irreducible_edges(graph))
    if (edge.after != edge.before + 1) add_reasons(edge, judge, reasons);
  return reasons;
}

}  // namespace

std::optional<Stack> order_that_ran_equal(const Stack& items, const Judge& judge) {
  const Stack wanted = with_trainer(items);
  for (const TargetRun& run : judge.runs().runs()) {
    if (!shows_parity(run.seen->verdict)) continue;
    std::vector<Item> left = wanted.items;
    Stack order;
    for (const Item& item : with_trainer(run.ran.stack).items) {
      const auto found =
          std::ranges::find_if(left, [&](const Item& one) { return is_run_of(Stack{.items = {item}}, Stack{.items = {one}}); });
      if (found == left.end()) break;
      order.items.push_back(std::move(*found));
      left.erase(found);
    }
    if (!left.empty() || order.items.size() != run.ran.stack.items.size() + (names_trainer(run.ran.stack) ? 0 : 1)) continue;
    if (!names_trainer(items)) std::erase_if(order.items, [&](const Item& item) { return item == default_trainer(); });
    return order;
  }
  return std::nullopt;
}

Suggestion suggest(const Stack& items, const Judge& judge) {
  Suggestion made{.order = recommended_order(as_in_catalogue(items), judge), .reasons = {}, .orders = 0, .report = {}};
  // If the order has an error finding, use an order with a committed run `equal` instead, unless that has one too.
  if (has_error(check(made.order, judge).findings))
    if (const auto ran = order_that_ran_equal(items, judge); ran && !has_error(check(*ran, judge).findings)) made.order = *ran;
  const PrecedenceGraph graph = precedence_graph(made.order, judge);
  if (graph.cycle.empty()) made.reasons = reasons_of(made.order, graph, judge);
  const LegalOrders legal = legal_orders(made.order, judge, kMostCounted);
  made.orders = legal.orders.size();
  made.all_counted = legal.all;
  made.report = check(made.order, judge);
  return made;
}

}  // namespace ordercheck
