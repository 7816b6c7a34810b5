#include "placing/plan/choices.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "placing/plan/reduced_choices.h"

namespace ordercheck::placing {
namespace {

// The rest of a problem as a program: y[unknown, choice] is whole; x[pair, choice, choice], at any value, follows from both.
class ChoiceProgram {
 public:
  explicit ChoiceProgram(const ReducedChoices& reduced) : rest_(reduced.rest()), choice_variables_(rest_.unknowns.size()) {
    for (int unknown = 0; unknown < static_cast<int>(rest_.unknowns.size()); ++unknown) {
      if (reduced.stands(unknown)) add_unknown(unknown);
    }
    for (const auto& [pair, table] : rest_.pairs) add_pair(pair.first, pair.second, table);
    for (const WeightLimit& limit : rest_.limits) add_limit(limit);
  }

  const IntegerProgram& program() const { return program_; }

  void read(const ProgramSolution& solution, std::vector<int>& chosen) const {
    for (std::size_t unknown = 0; unknown < choice_variables_.size(); ++unknown) {
      for (const auto& [choice, variable] : choice_variables_[unknown]) {
        if (solution.ones[variable]) chosen[unknown] = choice;
      }
    }
  }

 private:
  int add_variable(Nanoseconds cost, bool whole) {
    program_.costs.push_back(cost);
    program_.whole.push_back(whole);
    return static_cast<int>(program_.costs.size()) - 1;
  }

  void add_unknown(int unknown) {
    const OpenChoice& open = rest_.unknowns[unknown];
    ProgramRow once{.name = fmt::format("one choice of {}", open.name), .low = 1, .high = 1, .terms = {}};
    std::vector<int> set;
    for (int choice = 0; choice < static_cast<int>(open.costs.size()); ++choice) {
      if (open.costs[choice] >= kForbidden) continue;
      const int variable = add_variable(open.costs[choice], true);
      choice_variables_[unknown][choice] = variable;
      once.terms.push_back({.variable = variable});
      set.push_back(variable);
    }
    program_.rows.push_back(once);
    program_.preferred.push_back(set);
  }

  void add_pair(int first, int second, const CostTable& table) {
    std::map<int, ProgramRow> rows, columns;
    for (const auto& [row, row_variable] : choice_variables_[first]) {
      for (const auto& [column, column_variable] : choice_variables_[second]) {
        if (table.at(row, column) >= kForbidden) continue;
        const int variable = add_variable(table.at(row, column), false);
        rows[row].terms.push_back({.variable = variable});
        columns[column].terms.push_back({.variable = variable});
      }
    }
    add_flow(first, second, rows);
    add_flow(second, first, columns);
  }

  void add_flow(int from, int to, std::map<int, ProgramRow>& rows) {
    for (const auto& [choice, variable] : choice_variables_[from]) {
      ProgramRow& row = rows[choice];
      row.name = fmt::format("{} of {} towards {}", rest_.unknowns[from].choices[choice], rest_.unknowns[from].name,
                             rest_.unknowns[to].name);
      row.terms.push_back({.variable = variable, .coefficient = -1});
      program_.rows.push_back(row);
    }
  }

  void add_limit(const WeightLimit& limit) {
    ProgramRow row{.name = limit.name, .low = limit.low, .high = limit.high, .terms = {}};
    for (const auto& [unknown, weights] : limit.weights) {
      for (const auto& [choice, variable] : choice_variables_[unknown])
        row.terms.push_back({.variable = variable, .coefficient = weights[choice]});
    }
    program_.rows.push_back(row);
  }

  const ChoiceProblem& rest_;
  std::vector<std::map<int, int>> choice_variables_;
  IntegerProgram program_;
};

}  // namespace

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

Nanoseconds cost_of(const ChoiceProblem& problem, const std::vector<int>& chosen) {
  Nanoseconds sum = 0;
  for (std::size_t unknown = 0; unknown < chosen.size(); ++unknown)
    sum = add_costs(sum, problem.unknowns[unknown].costs[chosen[unknown]]);
  for (const auto& [pair, table] : problem.pairs) sum = add_costs(sum, table.at(chosen[pair.first], chosen[pair.second]));
  for (const WeightLimit& limit : problem.limits) {
    std::int64_t weight = 0;
    for (const auto& [unknown, weights] : limit.weights) weight += weights[chosen[unknown]];
    if (weight < limit.low || weight > limit.high) return kForbidden;
  }
  return sum;
}

Result<ChoiceSolution> solve_choices(const ChoiceProblem& problem, ProgramSolver solver, bool reduce) {
  const SortedChoices sorted = sorted_by_name(problem);
  ReducedChoices reduced(sorted.problem);
  ChoiceSolution solution;
  if (reduce && !reduced.reduce()) return solution;
  const ChoiceProgram program(reduced);
  const Result<ProgramSolution> solved = solver(program.program());
  if (!solved) return solved.error();
  solution.variables = static_cast<int>(program.program().costs.size());
  solution.rows = static_cast<int>(program.program().rows.size());
  solution.programs_solved = solved->programs_solved;
  solution.relaxation_was_whole = solution.variables == 0 || solved->relaxation_was_whole;
  if (!solved->feasible) return solution;
  std::vector<int> chosen(problem.unknowns.size(), 0);
  program.read(*solved, chosen);
  reduced.complete(chosen);
  solution.cost = cost_of(sorted.problem, chosen);
  if (solution.cost >= kForbidden) return Error{"the solver's answer breaks a rule of the program that it was given"};
  for (std::size_t unknown = 0; unknown < chosen.size(); ++unknown)
    solution.chosen.push_back(sorted.original[unknown][chosen[unknown]]);
  solution.feasible = true;
  return solution;
}

}  // namespace ordercheck::placing
