#include "plan/combinations.h"

#include <algorithm>
#include <cassert>

namespace ordercheck {

Combinations::Combinations(std::vector<int> levels, const std::function<bool(const Combination&)>& allows)
    : levels_(std::move(levels)), allowed_(count_of_combinations(levels_)) {
  assert(allowed_.size() <= kMost && "who makes combinations has counted them");
  for (std::size_t index = 0; index < allowed_.size(); ++index) allowed_[index] = allows(at(index));
}

std::size_t Combinations::allowed_count() const { return static_cast<std::size_t>(std::ranges::count(allowed_, true)); }

std::size_t Combinations::index_of(const Combination& combination) const {
  std::size_t index = 0;
  for (std::size_t p = 0; p < levels_.size(); ++p)
    index = index * static_cast<std::size_t>(levels_[p]) + static_cast<std::size_t>(combination[p]);
  return index;
}

Combination Combinations::at(std::size_t index) const {
  Combination combination(levels_.size());
  for (std::size_t p = levels_.size(); p-- > 0;) {
    combination[p] = static_cast<int>(index % static_cast<std::size_t>(levels_[p]));
    index /= static_cast<std::size_t>(levels_[p]);
  }
  return combination;
}

std::size_t count_of_combinations(const std::vector<int>& levels) {
  std::size_t count = 1;
  for (const int of_one : levels) {
    count *= static_cast<std::size_t>(of_one);
    if (count > Combinations::kMost) return Combinations::kMost + 1;
  }
  return count;
}

std::vector<std::vector<std::size_t>> choices(std::size_t parameters, int strength) {
  const auto size = static_cast<std::size_t>(strength);
  std::vector<std::vector<std::size_t>> all;
  if (size > parameters) return all;
  std::vector<std::size_t> choice(size);
  for (std::size_t i = 0; i < size; ++i) choice[i] = i;
  while (true) {
    all.push_back(choice);
    std::size_t i = size;
    while (i > 0 && choice[i - 1] == parameters - size + i - 1) --i;
    if (i == 0) return all;
    ++choice[i - 1];
    for (std::size_t later = i; later < size; ++later) choice[later] = choice[later - 1] + 1;
  }
}

}  // namespace ordercheck
