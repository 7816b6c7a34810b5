// A choice for each of many unknowns, so that the sum of costs of single choices and of pairs is least.
//
// Placements of a graph are such a problem: an unknown a node, a choice a strategy, the cost of running it, and for every edge the cost
// of moving a value between what its producer leaves and its consumer wants.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "placing/cost/costs.h"
#include "placing/solver/integer_program.h"

namespace ordercheck::placing {

// Rows are choices of the first unknown of a pair, columns of the second.
struct CostTable {
  std::size_t rows = 0, columns = 0;
  std::vector<Nanoseconds> entries;
  CostTable() = default;
  CostTable(std::size_t r, std::size_t c) : rows(r), columns(c), entries(r * c, 0) {}
  Nanoseconds& at(std::size_t row, std::size_t column) { return entries[row * columns + column]; }
  Nanoseconds at(std::size_t row, std::size_t column) const { return entries[row * columns + column]; }
};

struct OpenChoice {
  std::string name;
  std::vector<std::string> choices;  // names, in any order, no two alike
  std::vector<Nanoseconds> costs;    // of each; kForbidden where it may not be taken
};

// low <= sum of the weights of what is chosen <= high.
struct WeightLimit {
  std::string name;
  std::int64_t low = 0, high = 0;
  std::map<int, std::vector<std::int64_t>> weights;  // by unknown, one a choice
};

struct ChoiceProblem {
  std::vector<OpenChoice> unknowns;
  std::map<std::pair<int, int>, CostTable> pairs;  // the first number is the lower
  std::vector<WeightLimit> limits;

  // Adds to the cost of a pair, in whichever order it is named; of an unknown with itself, to its own costs.
  void add_pair(int first, int second, const CostTable& table);
};

struct ChoiceSolution {
  bool feasible = false;
  std::vector<int> chosen;  // the place among the choices of each unknown
  Nanoseconds cost = 0;
  // What the solver was given after the exact reductions, all 0 where these decided everything.
  int variables = 0, rows = 0, programs_solved = 0;
  bool relaxation_was_whole = true;
};

// Each limit's weights sum to what it allows.
bool keeps_limits(const ChoiceProblem& problem, const std::vector<int>& chosen);

// The sum; kForbidden where one part is, or a limit is broken.
Nanoseconds cost_of(const ChoiceProblem& problem, const std::vector<int>& chosen);

// The least cost. Among solutions of equal cost, the names decide: of the first unknown in an order that depends on the graph of pairs
// alone, then of the second, and so on. `reduce`: with the reductions of reduced_choices.h first.
Result<ChoiceSolution> solve_choices(const ChoiceProblem& problem, ProgramSolver solver, bool reduce = true);

}  // namespace ordercheck::placing
