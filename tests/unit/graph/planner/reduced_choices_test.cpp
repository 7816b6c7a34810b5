#include "graph/planner/reduced_choices.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/planner/arbitrary_choices.h"

namespace ordercheck::placing {
namespace {

// The same problem, each unknown's choices given in another order.
ChoiceProblem reordered(const ChoiceProblem& problem, const std::vector<std::vector<int>>& orders) {
  ChoiceProblem other = problem;
  for (std::size_t unknown = 0; unknown < orders.size(); ++unknown) {
    for (std::size_t place = 0; place < orders[unknown].size(); ++place) {
      other.unknowns[unknown].choices[place] = problem.unknowns[unknown].choices[orders[unknown][place]];
      other.unknowns[unknown].costs[place] = problem.unknowns[unknown].costs[orders[unknown][place]];
      for (std::size_t limit = 0; limit < problem.limits.size(); ++limit) {
        const auto weights = problem.limits[limit].weights.find(static_cast<int>(unknown));
        if (weights != problem.limits[limit].weights.end())
          other.limits[limit].weights[static_cast<int>(unknown)][place] = weights->second[orders[unknown][place]];
      }
    }
  }
  for (auto& [pair, table] : other.pairs) {
    for (std::size_t row = 0; row < table.rows; ++row) {
      for (std::size_t column = 0; column < table.columns; ++column)
        table.at(row, column) = problem.pairs.at(pair).at(orders[pair.first][row], orders[pair.second][column]);
    }
  }
  return other;
}

std::vector<std::string> names_of(const ChoiceProblem& problem, const ChoiceSolution& solution) {
  std::vector<std::string> names;
  for (std::size_t unknown = 0; unknown < solution.chosen.size(); ++unknown)
    names.push_back(problem.unknowns[unknown].choices[solution.chosen[unknown]]);
  return names;
}

RC_GTEST_PROP(Choices, AreOfTheLeastCost, ()) {
  const ChoiceProblem problem = arbitrary_problem();
  const auto best = optima(problem);
  for (const bool reduce : {true, false}) {
    const auto solution = solve_choices(problem, solve_with_highs, reduce);
    RC_ASSERT(static_cast<bool>(solution));
    RC_ASSERT(solution->feasible == !best.empty());
    if (solution->feasible) RC_ASSERT(std::ranges::find(best, solution->chosen) != best.end());
  }
}

// Without the reductions the unknowns decide in their order, so that the first of all optima by name is known.
RC_GTEST_PROP(Choices, AreTheFirstByNameOfThoseOfTheLeastCost, ()) {
  const ChoiceProblem problem = arbitrary_problem();
  const auto best = optima(problem);
  RC_PRE(!best.empty());
  RC_ASSERT(solve_choices(problem, solve_with_highs, false)->chosen == std::ranges::min(best));
}

RC_GTEST_PROP(Choices, AreTheSameInWhateverOrderTheyAreGiven, ()) {
  const ChoiceProblem problem = arbitrary_problem();
  std::vector<std::vector<int>> orders;
  for (std::size_t unknown = 0; unknown < problem.unknowns.size(); ++unknown) {
    std::vector<int> order{0, 1, 2};
    for (int swaps = *rc::gen::inRange(0, 6); swaps > 0; --swaps) std::ranges::next_permutation(order);
    orders.push_back(order);
  }
  const ChoiceProblem other = reordered(problem, orders);
  for (const bool reduce : {true, false}) {
    const auto one = solve_choices(problem, solve_with_highs, reduce), two = solve_choices(other, solve_with_highs, reduce);
    RC_ASSERT(one->feasible == two->feasible);
    RC_ASSERT(names_of(problem, *one) == names_of(other, *two));
  }
}

// A stranger for a solver: any solution of the least cost, the last by name. Ties are settled on whatever it says.
Result<ProgramSolution> solve_backwards(const IntegerProgram& program) {
  IntegerProgram turned = program;
  std::ranges::reverse(turned.costs);
  std::reverse(turned.whole.begin(), turned.whole.end());
  for (ProgramRow& row : turned.rows) {
    for (ProgramTerm& term : row.terms) term.variable = static_cast<int>(program.costs.size()) - 1 - term.variable;
  }
  std::ranges::reverse(turned.rows);
  auto solved = solve_with_highs(turned);
  if (!solved) return solved;
  ProgramSolution solution = *solved;
  std::reverse(solution.ones.begin(), solution.ones.end());
  std::reverse(solution.may_be_one.begin(), solution.may_be_one.end());
  std::reverse(solution.is_tight.begin(), solution.is_tight.end());
  return solution;
}

RC_GTEST_PROP(Choices, A22AreTheSameWhicheverOptimumASolverStopsAt, ()) {
  const ChoiceProblem problem = arbitrary_problem();
  const auto one = solve_choices(problem, solve_with_highs), two = solve_choices(problem, solve_backwards);
  RC_ASSERT(static_cast<bool>(one) && static_cast<bool>(two));
  RC_ASSERT(one->chosen == two->chosen);
}

TEST(Choices, ASolverThatAnswersWronglyIsFound) {
  ChoiceProblem problem{.unknowns = {{.name = "u", .choices = {"a", "b"}, .costs = {1, 2}},
                                     {.name = "v", .choices = {"a", "b"}, .costs = {1, 2}}},
                        .pairs = {},
                        .limits = {}};
  CostTable table(2, 2);
  table.at(0, 0) = kForbidden;
  problem.add_pair(0, 1, table);
  const ProgramSolver all_first = [](const IntegerProgram& program) -> Result<ProgramSolution> {
    ProgramSolution solution{.feasible = true,
                             .ones = std::vector<bool>(program.costs.size(), false),
                             .relaxation_was_whole = true,
                             .may_be_one = std::vector<bool>(program.costs.size(), true),
                             .is_tight = std::vector<bool>(program.rows.size(), true)};
    solution.ones[0] = solution.ones[2] = true;
    return solution;
  };
  EXPECT_FALSE(solve_choices(problem, all_first, false));
}

// The price of the limit is a half here: a choice that costs half a unit too much is no tie.
TEST(Choices, WithAFractionalPriceAreStillOfTheLeastCost) {
  ChoiceProblem problem{.unknowns = {{.name = "u", .choices = {"a", "b", "c"}, .costs = {1, 1, 2}},
                                     {.name = "v", .choices = {"a", "b", "c"}, .costs = {1, 1, 0}}},
                        .pairs = {},
                        .limits = {}};
  problem.limits.push_back({.name = "limit", .low = 1, .high = 3, .weights = {{0, {0, 1, 2}}, {1, {2, 1, 0}}}});
  const auto solution = solve_choices(problem, solve_with_highs);
  ASSERT_TRUE(solution) << solution.error().message;
  EXPECT_EQ(solution->chosen, (std::vector<int>{1, 2}));
}

TEST(Choices, OfAnUnknownWithItselfAddToItsOwnCosts) {
  ChoiceProblem problem{.unknowns = {{.name = "u", .choices = {"a", "b"}, .costs = {1, 1}}}, .pairs = {}, .limits = {}};
  CostTable table(2, 2);
  table.at(0, 0) = 5;
  problem.add_pair(0, 0, table);
  EXPECT_EQ(solve_choices(problem, solve_with_highs)->chosen, std::vector<int>{1});
}

}  // namespace
}  // namespace ordercheck::placing
