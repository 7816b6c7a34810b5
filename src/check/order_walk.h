// A walk over all legal orders of some items, one after another, without keeping them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check/check.h"
#include "stack/stack.h"

namespace ordercheck {

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

}  // namespace ordercheck
