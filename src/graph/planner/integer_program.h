// Defines a linear program over nonnegative variables, some of them integers, and a least-cost solution.
//
// Rows keep every variable at most 1. A bound would take part of the variable's reduced cost, and hide from `may_be_one` what a
// solution without it costs. Costs, coefficients and bounds are integers; keep sums below 2^50, the resolution of a solver's
// doubles. Which of several optimal solutions is found depends on the machine; ties.h makes it unique.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ordercheck::placing {

struct ProgramTerm {
  int variable = 0;
  std::int64_t coefficient = 1;
};

struct ProgramRow {
  std::string name;
  std::int64_t low = 0, high = 0;  // on the sum of the terms
  std::vector<ProgramTerm> terms;
};

struct IntegerProgram {
  std::vector<std::int64_t> costs;  // one per variable; minimized
  std::vector<bool> whole;
  std::vector<ProgramRow> rows;
};

struct ProgramSolution {
  bool feasible = false;
  std::vector<bool> ones;  // per integer variable; false for others
  std::int64_t cost = 0;
  bool relaxation_was_whole = false;
  // What the linear relaxation proves: variables that may be 1 in some optimal solution, and, if the relaxation was integral,
  // rows that are at the same bound in all optimal solutions.
  std::vector<bool> may_be_one;
  std::vector<bool> is_tight;
};

// Solves a program; an error if the solver gives up.
using ProgramSolver = Result<ProgramSolution> (*)(const IntegerProgram&);

// Runs HiGHS on one thread: the relaxation first, branch and bound only if that is fractional.
Result<ProgramSolution> solve_with_highs(const IntegerProgram& program);

}  // namespace ordercheck::placing
