// A difference counts when it is there on other data and on another grid too: noise of a foreign kernel that happened to
// straddle a grid point is not.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "trial/trial.h"

namespace ordercheck {

// The cases that a difference is looked for in again: another seed, and, in exact arithmetic, the coarser grid 2^-18.
std::vector<Case> variants_of(const Case& c);

// Of a case that differs: its variants, and what each of them is held against.
void ask_variants(Trial& trial, const Recommend& recommend, Runs& runs);

// Of a case that differs in the compiler's own code alone: that code, which runs in float32 arithmetic, on other data.
void ask_variants_of_compiler_code(Trial& trial, Runs& runs);

// The verdict on the difference: `differs` where every variant has it, `unstable` where one has not, `unrun` where one could not
// be run. `how` gets "also with seed 2, also on the grid 2^-18", or of which variant that is true. An error when a file of values
// cannot be read.
Result<Verdict> persists(const Trial& trial, std::string& how);

}  // namespace ordercheck
