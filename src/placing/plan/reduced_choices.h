// Exact reductions of a choice problem, as partitioned boolean quadratic programs have them: what they take away, no optimum needs.
//
//   a choice that another beats at any choice of all others         is forbidden
//   an unknown with at most two neighbours, and under no limit      is eliminated: for each choice of theirs, its best one
//   what is in no solution of the least cost by bounded_choices.h   is forbidden
//
// What is beaten strictly is in no optimum. What is beaten at equal cost by an earlier name is not in the one that ties are settled for:
// the other name in its place would cost as much and come before it.
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

// A choice for each of many unknowns, so that the sum of costs of single choices and of pairs is least.
//
// Placements of a graph are such a problem: an unknown a node, a choice a strategy, the cost of running it, and for every edge the cost
// of moving a value between what its producer leaves and its consumer wants.

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

// Sorted by the names of choices: the order in which they were given says nothing from here on.
struct SortedChoices {
  ChoiceProblem problem;
  std::vector<std::vector<int>> original;  // of each unknown, by sorted place
};
SortedChoices sorted_by_name(const ChoiceProblem& problem);

class ReducedChoices {
 public:
  explicit ReducedChoices(ChoiceProblem problem);

  // Until nothing more can be taken away. False where some unknown has no choice left. Without `eliminating`, choices go and all
  // unknowns stay.
  bool reduce(bool eliminating = true);

  // Behind `reduce`: what a bound rules out. All unknowns that stand still do, so that ties are settled in the same order.
  bool reduce_by_bound();

  // The rest: unknowns that stand, their allowed choices, and their pairs.
  const ChoiceProblem& rest() const { return problem_; }
  bool stands(int unknown) const { return stands_[unknown]; }

  // Given choices of all that stand, chooses for the eliminated ones, the last first; of equal ones the first by name.
  void complete(std::vector<int>& chosen) const;

 private:
  struct Eliminated {
    int unknown = 0;
    std::vector<Nanoseconds> costs;
    std::vector<std::pair<int, CostTable>> pairs;  // rows are its own choices
  };

  bool tighten_limits();
  bool forbid_beaten(int unknown);
  bool is_beaten(int unknown, std::size_t choice, std::size_t by) const;
  bool eliminate(int unknown);
  CostTable oriented(int unknown, int neighbour) const;
  bool has_choice(int unknown) const;

  ChoiceProblem problem_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<bool> stands_, limited_;
  std::vector<Eliminated> eliminated_;
};

}  // namespace ordercheck::placing
