// Finds the recommended order and all legal orders of a set of items. Uses only order rules: findings of other rules are the
// same for every order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/check.h"
#include "rules/precedence.h"
#include "stack/stack.h"

namespace ordercheck {

// The order nearest to that of `stack` that violates no order rule: the stable topological order of the precedence graph.
// Returns `stack` unchanged if the order rules contradict each other.
Stack recommended_order(const Stack& stack, const Judge& judge);

struct LegalOrders {
  std::vector<Stack> orders;  // sorted by printed form
  bool all = true;            // false if there are more than `at_most`
};

// Every order of `items` that violates no order rule of severity error. Of orders that differ only by swaps of adjacent
// commuting items (commutes rules), returns only the first by item positions in `items`.
LegalOrders legal_orders(const Stack& items, const Judge& judge, std::size_t at_most = 5000);

struct BrokenEdge {
  Stack order;
  std::vector<std::string> rules;  // ids of the rules that the order violates, sorted
  friend bool operator==(const BrokenEdge&, const BrokenEdge&) = default;
};

// For each irreducible error edge of the precedence graph, the nearest order of `items` that violates only this edge. If a run
// of it goes wrong, that edge is the cause. Empty if the order rules contradict each other.
std::vector<BrokenEdge> orders_that_break_one_edge(const Stack& items, const Judge& judge);

// Enumerates the legal orders of some items without storing them. Of orders that differ only by swaps of adjacent commuting
// items, visits only the first. Equal items keep their order. Item sets are bit masks. An item that was tried at a place
// sleeps while only items that commute with it follow, as it would repeat an order (sleep sets; Godefroid, Partial-Order
// Methods, 1996).
class OrderWalk {
 public:
  static constexpr std::size_t kMostItems = 64;

  OrderWalk(const Stack& items, const Judge& judge);

  // Whether there is an order to visit: the rules do not contradict each other, and there are at most kMostItems items.
  bool is_possible() const { return possible_; }

  // Calls `visit` with each order, as item indices in lexicographic order, until it returns false. Returns false if it did.
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
  std::array<std::uint64_t, kMostItems> before_{};    // per item: the items that go before it
  std::array<std::uint64_t, kMostItems> commutes_{};  // per item: the items that may swap with it
};

// Why one item of the suggested order is before another: a rule, or no rule at all.
struct OrderReason {
  std::size_t before = 0;  // index in the suggested order
  std::size_t after = 0;
  const Rule* rule = nullptr;  // owned by the judge; null: no rule orders the two, so the catalogue of transforms does
  bool either_way = false;     // `rule` is a commutes rule: the two may swap
  friend bool operator==(const OrderReason&, const OrderReason&) = default;
};

struct Suggestion {
  Stack order;                       // with values, options and scopes as given
  std::vector<OrderReason> reasons;  // per adjacent pair, then per distant pair that these do not imply
  std::size_t orders = 0;            // legal orders, counting swaps of commuting items once; 0 if rules contradict
  bool all_counted = true;           // false if there are more
  Report report;                     // the check of `order`; its errors apply to every order of these items
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

// Suggests an order of `items`, whatever order they are in. Items that no rule orders follow the catalogue of transforms.
Suggestion suggest(const Stack& items, const Judge& judge);

// An order of exactly these items that has a committed run on the target with the verdict equal, even if rules object to it;
// nullopt without such a run.
std::optional<Stack> order_that_ran_equal(const Stack& items, const Judge& judge);

// Text for `ordercheck suggest`: the order, one line per reason, the number of other orders, and the findings that every order
// has. If there is no order, says so and lists the findings.
std::string render_text(const Suggestion& suggestion, const Judge& judge, bool colour);

// JSON for `ordercheck suggest`: stack, orders, legal (no errors), blockers (rule ids), reasons, and the report of `check`.
std::string render_json(const Suggestion& suggestion, const Judge& judge);

}  // namespace ordercheck
