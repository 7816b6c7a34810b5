// Which rules a stack can concern at all: those whose parts its items can play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// Matches an item against the patterns of all rules once, and remembers it: a search for repairs asks about hundreds of stacks that
// are made of a dozen items. Several threads may ask.
class PartIndex {
 public:
  explicit PartIndex(const std::vector<Rule>& rules);  // the rules outlive it

  // By their place in the rules, ascending: every rule that fires on the stack, orders its items or lets them commute under some
  // condition, and few others.
  std::vector<std::size_t> candidates(const Stack& stack) const;

 private:
  using Bits = std::vector<std::uint64_t>;  // one a rule
  struct Parts {
    Bits one, other;
  };
  Parts parts_of(const Item& item) const;

  const std::vector<Rule>& rules_;
  Bits needs_no_item_, needs_no_other_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, Parts> known_;  // by the item as it is printed
};

}  // namespace ordercheck
