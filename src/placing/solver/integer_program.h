// A linear program over variables in [0, 1], some of which must be whole, and its one solution.
//
// Of several solutions of the least cost, the one is given that an order among the variables prefers: the same on every machine,
// whatever vertex a solver stops at. Costs, coefficients and bounds are whole numbers; sums of them must stay below 2^50, beyond which
// a solver's doubles could not tell neighbours apart.
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
  // Sets of whole variables of which exactly one is 1 (rows say so). Among solutions of equal cost the earliest set decides first, and
  // in it the earliest variable.
  std::vector<std::vector<int>> preferred;
};

struct ProgramSolution {
  bool feasible = false;
  std::vector<bool> ones;  // of whole variables; false of others
  std::int64_t cost = 0;   // rounded from the solver's, whose programs have whole costs at whole points
  bool relaxation_was_whole = false;
  int programs_solved = 0;  // linear and integer, to settle ties too
};

// An error where the solver gives up, or where what it answers is no solution of the program.
using ProgramSolver = Result<ProgramSolution> (*)(const IntegerProgram&);

// HiGHS, on one thread: the relaxation first, branch and bound only where that is fractional.
Result<ProgramSolution> solve_with_highs(const IntegerProgram& program);

}  // namespace ordercheck::placing
