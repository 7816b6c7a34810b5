#include "check/order_walk.h"

#include "check/precedence.h"
#include "rule/stack_match.h"

namespace ordercheck {

OrderWalk::OrderWalk(const Stack& stack, const Judge& judge) : items_(stack.items.size()) {
  if (items_ > kMostItems) {
    possible_ = false;
    return;
  }
  const auto bit = [](std::size_t item) { return std::uint64_t{1} << item; };
  for (std::size_t item = 0; item < items_; ++item) {
    all_ |= bit(item);
    for (std::size_t other = 0; other < item; ++other)
      if (stack.items[other] == stack.items[item]) before_[item] |= bit(other);
  }
  StackMatch match = judge.match(stack);
  for (const std::size_t page : places_in(match.commuting()))
    if (judge.stands(judge.rules()[page]))
      for (const CommutingPair& pair : match.commuting_pairs(page)) {
        commutes_[pair.first] |= bit(pair.second);
        commutes_[pair.second] |= bit(pair.first);
      }
  const Precedences precedences(stack, judge);
  possible_ = !precedences.are_contradictory();
  for (const Precedence& one : precedences.kept()) {
    if (one.strength == Strength::error) before_[one.after] |= bit(one.before);
    // What a rule orders does not change places, whatever another page says.
    commutes_[one.before] &= ~bit(one.after);
    commutes_[one.after] &= ~bit(one.before);
  }
}

}  // namespace ordercheck
