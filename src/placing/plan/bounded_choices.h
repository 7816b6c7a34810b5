// What a lower bound on the cost of all solutions rules out of a choice problem.
//
// Costs can be shifted between a pair and its unknowns without changing what any solution costs. The least costs of all unknowns and
// pairs, each for itself, then sum to a bound: no solution costs less. With one choice held to it is a bound on the solutions that have
// this choice; where that is above what a solution in hand costs, no optimum has it. All is in whole numbers, and what would cost as
// much as the solution in hand stays, so that neither a tolerance nor a tie decides anything here.
//
// Source: sequential tree-reweighted message passing (Kolmogorov 2006) for the shifts and for the solution in hand; fixing by reduced
// costs. Limits are left out of the bound, which stays one, and are kept by the solution: under a tight limit little is ruled out.
#pragma once

#include <vector>

#include "placing/plan/reduced_choices.h"

namespace ordercheck::placing {

struct BoundOfCosts {
  Nanoseconds least = 0;           // no solution costs less
  Nanoseconds known = kForbidden;  // what the solution in hand costs; kForbidden where none was found
};

// Forbids choices and entries of pairs that are in no solution of the least cost; those that are in one all stay. Looks at unknowns
// that stand alone, and expects that each has a choice.
BoundOfCosts forbid_above_bound(ChoiceProblem& problem, const std::vector<bool>& stands);

}  // namespace ordercheck::placing
