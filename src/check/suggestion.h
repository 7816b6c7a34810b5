// The order to apply a set of transforms in, and why each stands where it does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"

namespace ordercheck {

// Why one item of the suggested order goes before another, or that nothing says so.
struct OrderReason {
  std::size_t before = 0;  // of the suggested order
  std::size_t after = 0;
  const Rule* rule = nullptr;  // of the judge; null: no rule orders the two, and the catalogue's order was taken
  bool either_way = false;     // the page is one of kind commutes: the two may change places
  friend bool operator==(const OrderReason&, const OrderReason&) = default;
};

struct Suggestion {
  Stack order;                       // values, options and scopes as they were given
  std::vector<OrderReason> reasons;  // of each pair of neighbours, in order; then of pairs further apart that no other implies
  std::size_t orders = 0;            // that the order pages allow, of those that swap what commutes one; 0: they contradict
  bool all_counted = true;           // false: there are more
  Report report;                     // of the order. Its errors are blockers: they stand against every order of these items
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

// The order in which the items are given does not count: what no page orders stands as in the catalogue of transforms.
Suggestion suggest(const Stack& items, const Judge& judge);

// An order of exactly these items that a committed run of the target showed to be right, whatever a rule says of all orders.
std::optional<Stack> order_that_ran_equal(const Stack& items, const Judge& judge);

// The order, ready to be pasted, a line a reason, how many others there are, and what stands against all of them; or that
// there is no order, and the findings.
std::string render_text(const Suggestion& suggestion, const Judge& judge, bool colour);

// One object: stack, orders, legal (no error is left), blockers (ids), reasons, and the report as `check` gives it.
std::string render_json(const Suggestion& suggestion, const Judge& judge);

}  // namespace ordercheck
