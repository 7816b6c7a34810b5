// Exact reductions of a choice problem, as partitioned boolean quadratic programs have them: what they take away, no optimum needs.
//
//   a choice that another beats at any choice of all others         is forbidden
//   an unknown with at most two neighbours, and under no limit      is eliminated: for each choice of theirs, its best one
//   what is in no solution of the least cost by bounded_choices.h   is forbidden
//
// What is beaten strictly is in no optimum. What is beaten at equal cost by an earlier name is not in the one that ties are settled for:
// the other name in its place would cost as much and come before it.
#pragma once

#include <vector>

#include "placing/plan/choices.h"

namespace ordercheck::placing {

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
