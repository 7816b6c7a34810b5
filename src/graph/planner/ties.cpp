#include "graph/planner/ties.h"

#include <fmt/format.h>

namespace ordercheck::placing {
namespace {

// Limits on the number of index combinations per program, set by a solver's tolerance; further unknowns wait for the next
// program. Costs are scaled by this number, so the limit is lower if costs remain.
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 20;
constexpr std::int64_t kMostPlacesBesideCosts = std::int64_t{1} << 8;

std::vector<int> allowed_choices(const OpenChoice& open) {
  std::vector<int> allowed;
  for (int choice = 0; choice < static_cast<int>(open.costs.size()); ++choice) {
    if (open.costs[choice] < kForbidden) allowed.push_back(choice);
  }
  return allowed;
}

class Settling {
 public:
  Settling(const ReducedChoices& reduced, ProgramSolver solver, bool& feasible)
      : reduced_(reduced), solver_(solver), feasible_(feasible) {
    for (int unknown = 0; unknown < static_cast<int>(reduced.rest().unknowns.size()); ++unknown)
      stands_.push_back(reduced.stands(unknown));
  }

  Result<std::vector<int>> settle() {
    std::vector<int> chosen(stands_.size(), 0);
    const ChoiceProgram program(reduced_.rest(), stands_);
    const Result<ProgramSolution> solved = solve(program);
    if (!solved) return solved.error();
    feasible_ = solved->feasible;
    if (!solved->feasible) return chosen;
    program.read(*solved, chosen);
    const Nanoseconds least = cost_of_standing(chosen);
    if (const Status settled =
            settle_ties(program.face(reduced_.rest(), *solved, chosen), chosen, solved->relaxation_was_whole);
        !settled)
      return settled.error();
    // Breaking ties must not change the cost.
    if (const Nanoseconds cost = cost_of_standing(chosen); cost != least)
      return Error{fmt::format("of plans that should cost {} ns, the first by name costs {} ns", least, cost)};
    return chosen;
  }

 private:
  Result<ProgramSolution> solve(const ChoiceProgram& program) { return solver_(program.program()); }

  Nanoseconds cost_of_standing(const std::vector<int>& chosen) const {
    Nanoseconds sum = 0;
    for (std::size_t unknown = 0; unknown < stands_.size(); ++unknown) {
      if (stands_[unknown]) sum = add_costs(sum, reduced_.rest().unknowns[unknown].costs[chosen[unknown]]);
    }
    for (const auto& [pair, table] : reduced_.rest().pairs)
      sum = add_costs(sum, table.at(chosen[pair.first], chosen[pair.second]));
    return sum;
  }

  // If costs remain, indices only decide between equal ones.
  Status settle_ties(ChoiceProblem face, std::vector<int>& chosen, bool is_free_of_costs) {
    for (;;) {
      ReducedChoices pruned(std::move(face));
      if (!pruned.reduce(false)) return Error{"no plan of minimum cost is left"};
      face = pruned.rest();
      std::vector<int> open;
      std::int64_t places = 1;
      for (int unknown = 0; unknown < static_cast<int>(stands_.size()); ++unknown) {
        if (!stands_[unknown]) continue;
        const std::vector<int> allowed = allowed_choices(face.unknowns[unknown]);
        // Final if it is the only one; otherwise the program below decides.
        chosen[unknown] = allowed.front();
        if (allowed.size() < 2) continue;
        const auto count = static_cast<std::int64_t>(allowed.size());
        // Take at least one unknown, however many choices it has.
        if (!open.empty() && places * count > (is_free_of_costs ? kMostPlaces : kMostPlacesBesideCosts)) break;
        places *= count;
        open.push_back(unknown);
      }
      if (open.empty()) return Done{};
      if (const Status settled = settle_some(face, open, places, chosen, is_free_of_costs); !settled) return settled;
    }
  }

  Status settle_some(ChoiceProblem& face, const std::vector<int>& open, std::int64_t places, std::vector<int>& chosen,
                     bool is_free_of_costs) {
    ChoiceProblem placed = face;
    // Scaled costs outweigh every difference of indices.
    const Nanoseconds scale = is_free_of_costs ? 0 : places;
    for (OpenChoice& each : placed.unknowns) scale_costs(each.costs, scale);
    for (auto& [pair, table] : placed.pairs) scale_costs(table.entries, scale);
    // Mixed radix: the first unknown has the largest weight.
    std::int64_t unit = places;
    for (const int unknown : open) {
      const std::vector<int> allowed = allowed_choices(placed.unknowns[unknown]);
      unit /= static_cast<std::int64_t>(allowed.size());
      for (std::size_t place = 0; place < allowed.size(); ++place)
        placed.unknowns[unknown].costs[allowed[place]] += static_cast<std::int64_t>(place) * unit;
    }
    const ChoiceProgram program(placed, stands_);
    const Result<ProgramSolution> solved = solve(program);
    if (!solved) return solved.error();
    if (!solved->feasible) return Error{"no plan of minimum cost is left"};
    program.read(*solved, chosen);
    for (const int unknown : open) {
      for (const int choice : allowed_choices(face.unknowns[unknown])) {
        if (choice != chosen[unknown]) face.unknowns[unknown].costs[choice] = kForbidden;
      }
    }
    return Done{};
  }

  static void scale_costs(std::vector<Nanoseconds>& costs, Nanoseconds scale) {
    for (Nanoseconds& cost : costs) {
      if (cost < kForbidden) cost *= scale;
    }
  }

  const ReducedChoices& reduced_;
  const ProgramSolver solver_;
  bool& feasible_;
  std::vector<bool> stands_;
};

}  // namespace

Result<std::vector<int>> settle(const ReducedChoices& reduced, ProgramSolver solver, bool& feasible) {
  return Settling(reduced, solver, feasible).settle();
}

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
    // The variables of a choice's pairs sum to its own variable.
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
    // The row is tight in every optimal solution, so fix its weight.
    limit.low = limit.high = held;
  }
  return left;
}

}  // namespace ordercheck::placing
