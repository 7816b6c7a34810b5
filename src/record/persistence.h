// Checks whether a difference between a case and its reference also occurs with other data. If not, it may be noise that was
// rounded to two different grid points.
#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "record/verdict.h"
#include "stack/case.h"

namespace ordercheck {

// The variants of a differing case to run: with another seed and, in exact arithmetic, on the coarser grid 2^-18.
std::vector<Case> variants_of(const Case& c);

// "with seed 2", "on the grid 2^-18": what distinguishes `variant` from `c`.
std::string name_of_variant(const Case& c, const Case& variant);

// Whether `got` differs from its single-rank `reference`, if both completed.
bool differ(const Record& reference, const Record& got);

// Whether all ranks that hold a copy of a parameter or buffer have equal bits.
bool replicas_agree(const Record& record);

struct SeenVariant {
  std::string where;  // name_of_variant()
  const Record* got;
  bool there;  // whether this variant differs from its reference too
};

// The verdict on a differing case from its variants: `differs` if every variant differs, `unstable` if one does not, `unrun`
// if one could not run. `how` receives "also with seed 2, also on the grid 2^-18", or the name of the variant that decided.
Verdict persists(const std::vector<SeenVariant>& variants, std::string& how);

}  // namespace ordercheck
