// A linear program over variables of at least 0, some of which must be whole, and a solution of the least cost. Rows keep every
// variable to 1: a bound of its own would take part of its price, and hide from `may_be_one` what a solution without it costs.
//
// Costs, coefficients and bounds are whole numbers; sums of them must stay below 2^50, beyond which a solver's doubles could not tell
// neighbours apart. Which solution of several of the least cost it is depends on the machine: ties.h settles that.
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
  std::int64_t low = 0, high = 0;  // of the sum of the terms
  std::vector<ProgramTerm> terms;
};

struct IntegerProgram {
  std::vector<std::int64_t> costs;  // one a variable; least is best
  std::vector<bool> whole;
  std::vector<ProgramRow> rows;
};

struct ProgramSolution {
  bool feasible = false;
  std::vector<bool> ones;  // of whole variables; false of others
  std::int64_t cost = 0;
  bool relaxation_was_whole = false;
  // Of what the relaxation says about every solution of the least cost: variables that may be 1 in one, and rows that are at the same
  // bound in all of them where the relaxation was whole.
  std::vector<bool> may_be_one;
  std::vector<bool> is_tight;
};

// An error where the solver gives up.
using ProgramSolver = Result<ProgramSolution> (*)(const IntegerProgram&);

// HiGHS, on one thread: the relaxation first, branch and bound only where that is fractional.
Result<ProgramSolution> solve_with_highs(const IntegerProgram& program);

}  // namespace ordercheck::placing
