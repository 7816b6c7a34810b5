// A difference counts when it is there on other data and on another grid too: noise of a foreign kernel that happened to
// straddle a grid point is not.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "trial/trial.h"

namespace ordercheck {

// Of a case that differs: its variants, and what each of them is held against.
void ask_variants(Trial& trial, const Recommend& recommend, Runs& runs);

// Of a case that differs in the compiler's own code alone: that code, which runs in float32 arithmetic, on other data.
void ask_variants_of_compiler_code(Trial& trial, Runs& runs);

// As persists() of parity/persistence.h. An error when a file of values cannot be read.
Result<Verdict> persists(const Trial& trial, std::string& how);

}  // namespace ordercheck
