#include "check/suggestion.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <tuple>

#include "check/orders.h"
#include "check/precedence.h"
#include "rule/load.h"
#include "rule/match.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

constexpr std::size_t kMostCounted = 99;

Stack as_in_catalogue(Stack items) {
  const auto place = [](const Item& item) { return std::tuple(&info_of(item) - transforms().data(), print(item)); };
  std::ranges::stable_sort(items.items, {}, place);
  return items;
}

const Rule* commuting_page(const Stack& stack, std::size_t first, std::size_t second, const Judge& judge) {
  StackMatch match = judge.match(stack);
  for (const std::size_t page : places_in(match.commuting()))
    for (const CommutingPair& pair : match.commuting_pairs(page))
      if (pair.first == first && pair.second == second) return &judge.rules()[page];
  return nullptr;
}

// Every page behind an edge, one reason each.
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
  const auto texts_of = [](const Stack& stack) {
    std::multiset<std::string> texts;
    for (const Item& item : stack.items) texts.insert(print(item));
    return texts;
  };
  const std::multiset<std::string> wanted = texts_of(items);
  for (const TargetRun& run : judge.runs().runs())
    if (shows_parity(run.seen->verdict) && texts_of(run.ran.stack) == wanted) return run.ran.stack;
  return std::nullopt;
}

Suggestion suggest(const Stack& items, const Judge& judge) {
  Suggestion made{.order = recommended_order(as_in_catalogue(items), judge), .reasons = {}, .orders = 0, .report = {}};
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
