#include "placing/plan/choices.h"

#include <algorithm>

#include "placing/plan/reduced_choices.h"
#include "placing/plan/ties.h"

namespace ordercheck::placing {
void ChoiceProblem::add_pair(int first, int second, const CostTable& table) {
  if (first == second) {
    for (std::size_t choice = 0; choice < table.rows; ++choice)
      unknowns[first].costs[choice] = add_costs(unknowns[first].costs[choice], table.at(choice, choice));
    return;
  }
  const bool turned = first > second;
  CostTable& sum = pairs[{std::min(first, second), std::max(first, second)}];
  if (sum.entries.empty()) sum = turned ? CostTable(table.columns, table.rows) : CostTable(table.rows, table.columns);
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t column = 0; column < table.columns; ++column) {
      Nanoseconds& entry = turned ? sum.at(column, row) : sum.at(row, column);
      entry = add_costs(entry, table.at(row, column));
    }
  }
}

bool keeps_limits(const ChoiceProblem& problem, const std::vector<int>& chosen) {
  return std::ranges::all_of(problem.limits, [&](const WeightLimit& limit) {
    std::int64_t weight = 0;
    for (const auto& [unknown, weights] : limit.weights) weight += weights[chosen[unknown]];
    return weight >= limit.low && weight <= limit.high;
  });
}

Nanoseconds cost_of(const ChoiceProblem& problem, const std::vector<int>& chosen) {
  Nanoseconds sum = 0;
  for (std::size_t unknown = 0; unknown < chosen.size(); ++unknown)
    sum = add_costs(sum, problem.unknowns[unknown].costs[chosen[unknown]]);
  for (const auto& [pair, table] : problem.pairs) sum = add_costs(sum, table.at(chosen[pair.first], chosen[pair.second]));
  return keeps_limits(problem, chosen) ? sum : kForbidden;
}

Result<ChoiceSolution> solve_choices(const ChoiceProblem& problem, ProgramSolver solver, bool reduce) {
  const SortedChoices sorted = sorted_by_name(problem);
  ReducedChoices reduced(sorted.problem);
  ChoiceSolution solution;
  if (reduce && !(reduced.reduce() && reduced.reduce_by_bound())) return solution;
  const Result<std::vector<int>> settled = settle(reduced, solver, solution);
  if (!settled) return settled.error();
  if (!solution.feasible) return solution;
  std::vector<int> chosen = *settled;
  reduced.complete(chosen);
  solution.cost = cost_of(sorted.problem, chosen);
  if (solution.cost >= kForbidden) return Error{"the solver's answer breaks a rule of the program that it was given"};
  for (std::size_t unknown = 0; unknown < chosen.size(); ++unknown)
    solution.chosen.push_back(sorted.original[unknown][chosen[unknown]]);
  return solution;
}

}  // namespace ordercheck::placing
