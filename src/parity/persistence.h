// Whether a difference is there on other data too: one that is not may be noise that happened to straddle a grid point.
#pragma once

#include <string>
#include <vector>

#include "parity/record.h"
#include "parity/verdict.h"
#include "stack/case.h"

namespace ordercheck {

// The cases that a difference is looked for in again: another seed, and, in exact arithmetic, the coarser grid 2^-18.
std::vector<Case> variants_of(const Case& c);

// "with seed 2", "on the grid 2^-18": what `variant` has that `c` has not.
std::string name_of_variant(const Case& c, const Case& variant);

// Whether `got` differs from what one rank owes it, `reference`, where both completed.
bool differ(const Record& reference, const Record& got);

// Whether ranks that should hold the same bits do.
bool replicas_agree(const Record& record);

struct SeenVariant {
  std::string where;  // name_of_variant()
  const Record* got;
  bool there;  // the difference
};

// The verdict on the difference: `differs` where every variant has it, `unstable` where one has not, `unrun` where one could not
// be run. `how` gets "also with seed 2, also on the grid 2^-18", or of which variant that is true.
Verdict persists(const std::vector<SeenVariant>& variants, std::string& how);

}  // namespace ordercheck
