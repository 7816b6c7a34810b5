// Where a rule fires on a stack.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rule/job.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// The items that a firing is about, by index in the stack. One for fits, effect and needs, two for order and clash (the
// one applied first comes first), three for an order with an item between; fits without an item pattern has none.
struct Firing {
  std::vector<std::size_t> items;
  friend auto operator<=>(const Firing&, const Firing&) = default;
};

// What conditions know of a page's witness: the sizes of its model, and the ranks and microbatches that it names.
Job job_of(const Witness& witness);

// What an order rule demands of a stack, whether or not the stack keeps it: item `before` goes before item `after`.
struct Demand {
  std::size_t before = 0;
  std::size_t after = 0;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};

// A pair of items that a commutes rule lets change places; `first` < `second`.
struct CommutingPair {
  std::size_t first = 0;
  std::size_t second = 0;
  friend auto operator<=>(const CommutingPair&, const CommutingPair&) = default;
};

// Of one rule on one stack, in order of the stack. Who asks about many compiles their rules once: StackMatch.
std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job = {});
std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job = {});
std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job = {});

}  // namespace ordercheck
