// Selects one of several optimal solutions of a choice problem, the same on every machine: least cost, then first by name.
#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "graph/planner/integer_program.h"
#include "graph/planner/reduced_choices.h"

namespace ordercheck::placing {

// Solves for the unknowns that `reduced` did not eliminate, then breaks ties: the first unknown gets the earliest choice that
// any optimal solution has, then the next unknown. The relaxation's facts about optimal solutions leave few choices. Unknowns
// with several are decided a few at a time, by a program whose costs are their indices, weighted so that the first outweighs
// the rest.
//
// Returns the chosen indices, 0 for eliminated unknowns, and whether there is a solution in `feasible`.
Result<std::vector<int>> settle(const ReducedChoices& reduced, ProgramSolver solver, bool& feasible);

// A choice problem as an integer program. y[unknown, choice] is integral, one per allowed choice. x[pair, choice, choice] is
// continuous: for each choice of an unknown, its x towards each neighbour sum to its y.
class ChoiceProgram {
 public:
  ChoiceProgram(const ChoiceProblem& problem, const std::vector<bool>& stands);

  const IntegerProgram& program() const { return program_; }
  void read(const ProgramSolution& solution, std::vector<int>& chosen) const;

  // The problem restricted to choices that some optimal solution has. If the relaxation was integral, every remaining solution
  // is optimal, so the costs are dropped too.
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
