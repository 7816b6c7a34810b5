// Orders of one set of items: the recommended one and all legal ones. Order pages alone decide them: what another page has against the items stands against every order of them, and is no reason to leave one out.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/precedence.h"
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

// A walk over all legal orders of some items, one after another, without keeping them.

// Orders that keep every order page that is an error; of those that pages let turn into each other by changing neighbours, the
// first alone. Sets of items are words of bits. What has been tried at a place, and commutes with all that is put there since, would
// only make an order again that was seen: it sleeps (sleep sets; Godefroid, Partial-Order Methods, 1996). Of two equal items the
// first stays first.
class OrderWalk {
 public:
  static constexpr std::size_t kMostItems = 64;

  OrderWalk(const Stack& items, const Judge& judge);

  // There are orders: the pages do not contradict each other, and there are no more items than a walk takes.
  bool is_possible() const { return possible_; }

  // `visit` is given one order after another, as indices of items, in lexicographic order, and says whether to go on. False where it
  // said no.
  template <class Visit>
  bool each(Visit visit) const {
    if (!possible_) return true;
    std::array<std::uint8_t, kMostItems> order{};
    return extend(order, 0, 0, 0, visit);
  }

 private:
  template <class Visit>
  bool extend(std::array<std::uint8_t, kMostItems>& order, std::size_t size, std::uint64_t placed, std::uint64_t asleep,
              Visit& visit) const {
    if (size == items_) return visit(std::span<const std::uint8_t>(order).first(size));
    for (std::uint64_t left = all_ & ~placed & ~asleep; left != 0; left &= left - 1) {
      const auto item = static_cast<std::size_t>(std::countr_zero(left));
      if ((before_[item] & ~placed) != 0) continue;
      order[size] = static_cast<std::uint8_t>(item);
      const std::uint64_t bit = std::uint64_t{1} << item;
      if (!extend(order, size + 1, placed | bit, asleep & commutes_[item], visit)) return false;
      asleep |= bit;
    }
    return true;
  }

  std::size_t items_;
  bool possible_ = true;
  std::uint64_t all_ = 0;
  std::array<std::uint64_t, kMostItems> before_{};    // of an item: those that go before it
  std::array<std::uint64_t, kMostItems> commutes_{};  // of an item: those that may change places with it
};

// The order to apply a set of transforms in, and why each stands where it does.

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
