#include "placing/plan/choice_program.h"

#include <fmt/format.h>

namespace ordercheck::placing {

ChoiceProgram::ChoiceProgram(const ChoiceProblem& problem, const std::vector<bool>& stands)
    : choice_variables_(problem.unknowns.size()) {
  for (int unknown = 0; unknown < static_cast<int>(problem.unknowns.size()); ++unknown) {
    if (stands[unknown]) add_unknown(problem, unknown);
  }
  for (const auto& [pair, table] : problem.pairs) add_pair(problem, pair.first, pair.second, table);
  for (const WeightLimit& limit : problem.limits) add_limit(limit);
}

int ChoiceProgram::add_variable(Nanoseconds cost, bool whole) {
  program_.costs.push_back(cost);
  program_.whole.push_back(whole);
  return static_cast<int>(program_.costs.size()) - 1;
}

void ChoiceProgram::add_unknown(const ChoiceProblem& problem, int unknown) {
  const OpenChoice& open = problem.unknowns[unknown];
  ProgramRow once{.name = fmt::format("one choice of {}", open.name), .low = 1, .high = 1, .terms = {}};
  for (int choice = 0; choice < static_cast<int>(open.costs.size()); ++choice) {
    if (open.costs[choice] >= kForbidden) continue;
    const int variable = add_variable(open.costs[choice], true);
    choice_variables_[unknown][choice] = variable;
    once.terms.push_back({.variable = variable});
  }
  program_.rows.push_back(once);
}

void ChoiceProgram::add_pair(const ChoiceProblem& problem, int first, int second, const CostTable& table) {
  std::map<int, ProgramRow> rows, columns;
  for (const auto& [row, row_variable] : choice_variables_[first]) {
    for (const auto& [column, column_variable] : choice_variables_[second]) {
      if (table.at(row, column) >= kForbidden) continue;
      const int variable = add_variable(table.at(row, column), false);
      pair_variables_[{first, second}][{row, column}] = variable;
      rows[row].terms.push_back({.variable = variable});
      columns[column].terms.push_back({.variable = variable});
    }
  }
  add_flow(problem, first, second, rows);
  add_flow(problem, second, first, columns);
}

void ChoiceProgram::add_flow(const ChoiceProblem& problem, int from, int to, std::map<int, ProgramRow>& rows) {
  for (const auto& [choice, variable] : choice_variables_[from]) {
    ProgramRow& row = rows[choice];
    row.name = fmt::format("{} of {} towards {}", problem.unknowns[from].choices[choice], problem.unknowns[from].name,
                           problem.unknowns[to].name);
    row.terms.push_back({.variable = variable, .coefficient = -1});
    program_.rows.push_back(row);
  }
}

void ChoiceProgram::add_limit(const WeightLimit& limit) {
  ProgramRow row{.name = limit.name, .low = limit.low, .high = limit.high, .terms = {}};
  for (const auto& [unknown, weights] : limit.weights) {
    for (const auto& [choice, variable] : choice_variables_[unknown])
      row.terms.push_back({.variable = variable, .coefficient = weights[choice]});
  }
  limit_rows_.push_back(static_cast<int>(program_.rows.size()));
  program_.rows.push_back(row);
}

void ChoiceProgram::read(const ProgramSolution& solution, std::vector<int>& chosen) const {
  for (std::size_t unknown = 0; unknown < choice_variables_.size(); ++unknown) {
    for (const auto& [choice, variable] : choice_variables_[unknown]) {
      if (solution.ones[variable]) chosen[unknown] = choice;
    }
  }
}

ChoiceProblem ChoiceProgram::face(const ChoiceProblem& problem, const ProgramSolution& solution,
                                  const std::vector<int>& chosen) const {
  ChoiceProblem left = problem;
  const auto cost_on_face = [&](int variable, Nanoseconds cost) {
    if (!solution.may_be_one[variable]) return kForbidden;
    return solution.relaxation_was_whole ? Nanoseconds{0} : cost;
  };
  for (std::size_t unknown = 0; unknown < choice_variables_.size(); ++unknown) {
    for (const auto& [choice, variable] : choice_variables_[unknown]) {
      Nanoseconds& cost = left.unknowns[unknown].costs[choice];
      cost = cost_on_face(variable, cost);
    }
  }
  for (const auto& [pair, variables] : pair_variables_) {
    CostTable& table = left.pairs[pair];
    for (const auto& [places, variable] : variables) {
      Nanoseconds& cost = table.at(places.first, places.second);
      cost = cost_on_face(variable, cost);
    }
  }
  for (std::size_t at = 0; at < limit_rows_.size(); ++at) {
    WeightLimit& limit = left.limits[at];
    if (!solution.relaxation_was_whole || !solution.is_tight[limit_rows_[at]]) continue;
    std::int64_t held = 0;
    for (const auto& [unknown, weights] : limit.weights) held += weights[chosen[unknown]];
    limit.low = limit.high = held;
  }
  return left;
}

}  // namespace ordercheck::placing
