// Orders of one set of items: the recommended one and all legal ones. Order pages alone decide them: what another page has against the items stands against every order of them, and is no reason to leave one out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/precedence_graph.h"
#include "stack/stack.h"

namespace ordercheck {

// The items of the stack in an order that keeps every order rule, as near as may be to the order given: the stable
// topological order of the precedence graph, all items in it. A stack whose errors contradict each other comes back as it is.
Stack recommended_order(const Stack& stack, const Judge& judge);

struct LegalOrders {
  std::vector<Stack> orders;  // sorted by their printed form
  bool all = true;            // false: there are more than `at_most`
};

// Every order of the items without an error finding of an order page; of orders that differ only by swapping neighbours that
// commute (rules of kind commutes), the one that comes first by the position of its items in `items`.
LegalOrders legal_orders(const Stack& items, const Judge& judge, std::size_t at_most = 5000);

struct BrokenEdge {
  Stack order;
  std::vector<std::string> rules;  // ids of the pages behind the edge, sorted
  friend bool operator==(const BrokenEdge&, const BrokenEdge&) = default;
};

// For each irreducible error edge of the precedence graph the order, as near as may be to the one given, that turns this edge
// round and keeps every other: what it shows can be blamed on that edge alone. None where errors contradict each other.
std::vector<BrokenEdge> orders_that_break_one_edge(const Stack& items, const Judge& judge);

}  // namespace ordercheck
