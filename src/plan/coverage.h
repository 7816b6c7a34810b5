// What a set of combinations covers, counted anew from the combinations themselves: it shares nothing with what made them.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/combinations.h"

namespace ordercheck {

// Of the tuples of levels of `strength` different parameters.
struct Coverage {
  int strength = 2;
  std::size_t feasible = 0;   // stand in some allowed combination
  std::size_t covered = 0;    // of those, stand in one of the rows that is allowed
  std::size_t ruled_out = 0;  // stand in no allowed combination
  std::size_t rows = 0;       // that are allowed
  friend bool operator==(const Coverage&, const Coverage&) = default;
};

Coverage coverage_of(const std::vector<Combination>& rows, const Combinations& combinations, int strength);

// Levels of a few parameters, -1 for one that is left open.
using Partial = std::vector<int>;

// What rules combinations out, each in as few parameters as it takes: no allowed combination holds it, and each part of it is
// held by one. A combination is allowed exactly where it holds none of these.
std::vector<Partial> least_ruled_out(const Combinations& combinations);

}  // namespace ordercheck
