// The one solution of a choice problem that every machine finds: of the least cost, and of all of these the first by name.
#pragma once

#include <vector>

#include "base/result.h"
#include "placing/plan/choices.h"
#include "placing/plan/reduced_choices.h"

namespace ordercheck::placing {

// Solves for the unknowns that stand, then settles ties: the lowest unknown decides first and takes the earliest choice that some
// solution of the least cost has, then the next. What the relaxation says of all such solutions leaves few choices; unknowns that have
// several left are settled a few at a time, by a program whose costs are their places, mixed so that the first outweighs the rest.
//
// The chosen places, 0 for unknowns that do not stand; figures go into `solution`. Where nothing is feasible, that says so.
Result<std::vector<int>> settle(const ReducedChoices& reduced, ProgramSolver solver, ChoiceSolution& solution);

}  // namespace ordercheck::placing
