// The one solution of a choice problem that every machine finds: of the least cost, and of all of these the first by name.
#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "placing/plan/reduced_choices.h"
#include "placing/solver/integer_program.h"

namespace ordercheck::placing {

// Solves for the unknowns that stand, then settles ties: the lowest unknown decides first and takes the earliest choice that some
// solution of the least cost has, then the next. What the relaxation says of all such solutions leaves few choices; unknowns that have
// several left are settled a few at a time, by a program whose costs are their places, mixed so that the first outweighs the rest.
//
// The chosen places, 0 for unknowns that do not stand; figures go into `solution`. Where nothing is feasible, that says so.
Result<std::vector<int>> settle(const ReducedChoices& reduced, ProgramSolver solver, ChoiceSolution& solution);

// A choice problem as an integer program.

// y[unknown, choice] is whole, one a choice that is allowed; x[pair, choice, choice] is any value, which the sums over either side tie to
// the y: for each choice of an unknown, the x towards each of its neighbours sum to it.
class ChoiceProgram {
 public:
  ChoiceProgram(const ChoiceProblem& problem, const std::vector<bool>& stands);

  const IntegerProgram& program() const { return program_; }
  void read(const ProgramSolution& solution, std::vector<int>& chosen) const;

  // The same problem without what no solution of the least cost has, and, where the relaxation was whole, without costs: whatever is
  // left of it is of the least cost.
  ChoiceProblem face(const ChoiceProblem& problem, const ProgramSolution& solution, const std::vector<int>& chosen) const;

 private:
  int add_variable(Nanoseconds cost, bool whole);
  void add_unknown(const ChoiceProblem& problem, int unknown);
  void add_pair(const ChoiceProblem& problem, int first, int second, const CostTable& table);
  void add_flow(const ChoiceProblem& problem, int from, int to, std::map<int, ProgramRow>& rows);
  void add_limit(const WeightLimit& limit);

  IntegerProgram program_;
  std::vector<std::map<int, int>> choice_variables_;
  std::map<std::pair<int, int>, std::map<std::pair<int, int>, int>> pair_variables_;
  std::vector<int> limit_rows_;
};

}  // namespace ordercheck::placing
