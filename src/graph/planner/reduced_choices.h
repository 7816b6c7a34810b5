// Reduces choice problems exactly, as for partitioned boolean quadratic programs: no reduction removes the optimum.
//
//   a choice that another beats for every choice of all others    is forbidden
//   an unknown with at most two neighbours, and without limit     is eliminated: each choice of theirs gets its best one
//
// A choice that another beats strictly is in no optimum. A choice that one with an earlier name beats at equal cost is not in
// the optimum that ties.h selects: the earlier name would win.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/costs.h"
#include "graph/planner/integer_program.h"

namespace ordercheck::placing {

// The choice problem: select one choice per unknown so that the sum of single and pair costs is least. For placements, the
// unknowns are nodes and their choices are strategies. Running a node is a single cost, redistributing a value along an edge a
// pair cost.

// The costs of a pair of unknowns. Rows are choices of the first unknown, columns of the second.
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
  std::vector<std::string> choices;  // names, in any order, without duplicates
  std::vector<Nanoseconds> costs;    // per choice; kForbidden if not allowed
};

// A constraint of the problem: low <= sum of the chosen weights <= high.
struct WeightLimit {
  std::string name;
  std::int64_t low = 0, high = 0;
  std::map<int, std::vector<std::int64_t>> weights;  // by unknown, one per choice
};

struct ChoiceProblem {
  std::vector<OpenChoice> unknowns;
  std::map<std::pair<int, int>, CostTable> pairs;  // the lower unknown comes first
  std::vector<WeightLimit> limits;

  // Adds the table to the costs of a pair, in either order. A pair of an unknown with itself adds to its single costs.
  void add_pair(int first, int second, const CostTable& table);
};

struct ChoiceSolution {
  bool feasible = false;
  std::vector<int> chosen;  // per unknown, the index of its choice
  Nanoseconds cost = 0;
};

// Whether the chosen weights are within every limit.
bool keeps_limits(const ChoiceProblem& problem, const std::vector<int>& chosen);

// The total cost of these choices; kForbidden if a part is, or if a limit is violated.
Nanoseconds cost_of(const ChoiceProblem& problem, const std::vector<int>& chosen);

// Finds the choices with the least cost. Among equal costs, takes the earliest name for each unknown in turn, in an order that
// depends on the pairs only. `reduce`: reduces the problem first.
Result<ChoiceSolution> solve_choices(const ChoiceProblem& problem, ProgramSolver solver, bool reduce = true);

// A problem with choices sorted by name, so that the input order has no effect.
struct SortedChoices {
  ChoiceProblem problem;
  std::vector<std::vector<int>> original;  // per unknown, the original index of each sorted choice
};
SortedChoices sorted_by_name(const ChoiceProblem& problem);

class ReducedChoices {
 public:
  explicit ReducedChoices(ChoiceProblem problem);

  // Reduces until nothing changes. False if an unknown has no choice left. Without `eliminating`, removes choices but no
  // unknowns.
  bool reduce(bool eliminating = true);

  // The remaining unknowns with their allowed choices and pairs.
  const ChoiceProblem& rest() const { return problem_; }
  bool stands(int unknown) const { return stands_[unknown]; }

  // Chooses for the eliminated unknowns, last one first, given choices of the remaining ones; ties go by name.
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
