// Every combination of the levels of some parameters, and which of them are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ordercheck {

using Combination = std::vector<int>;  // the index of a level of each parameter

class Combinations {
 public:
  // More than these are not enumerated (asserted).
  static constexpr std::size_t kMost = 500'000;

  // `levels`: how many each parameter has, at least 1. `allows` is asked once a combination, in the order of next().
  Combinations(std::vector<int> levels, const std::function<bool(const Combination&)>& allows);

  const std::vector<int>& levels() const { return levels_; }
  std::size_t parameters() const { return levels_.size(); }
  std::size_t size() const { return allowed_.size(); }
  std::size_t allowed_count() const;
  bool allows(const Combination& combination) const { return allowed_[index_of(combination)]; }
  bool allows(std::size_t index) const { return allowed_[index]; }
  std::size_t index_of(const Combination& combination) const;  // the last parameter varies fastest
  Combination at(std::size_t index) const;

 private:
  std::vector<int> levels_;
  std::vector<bool> allowed_;  // by index_of
};

// How many combinations such parameters have; Combinations::kMost + 1 for all beyond it.
std::size_t count_of_combinations(const std::vector<int>& levels);

// Every choice of `strength` of `parameters` parameters, ascending, in lexicographic order.
std::vector<std::vector<std::size_t>> choices(std::size_t parameters, int strength);

}  // namespace ordercheck
