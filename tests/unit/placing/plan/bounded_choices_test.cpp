#include "placing/plan/bounded_choices.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placing/plan/reduced_choices.h"
#include "placing/plan/ties.h"
#include "unit/placing/plan/arbitrary_choices.h"
#include "unit/placing/plan/planned_llama.h"

namespace ordercheck::placing {
namespace {

std::vector<bool> all_of(const ChoiceProblem& problem) { return std::vector<bool>(problem.unknowns.size(), true); }

bool has_choices(const ChoiceProblem& problem) {
  return std::ranges::all_of(problem.unknowns, [](const OpenChoice& open) {
    return std::ranges::any_of(open.costs, [](Nanoseconds cost) { return cost < kForbidden; });
  });
}

std::size_t allowed_count(const ChoiceProblem& problem) {
  std::size_t count = 0;
  for (const OpenChoice& open : problem.unknowns)
    count += std::ranges::count_if(open.costs, [](Nanoseconds cost) { return cost < kForbidden; });
  return count;
}

// Costs of few values, so that many solutions cost the same: one that is ruled out beside the others would be missed here.
RC_GTEST_PROP(BoundedChoices, KeepEverySolutionOfTheLeastCost, ()) {
  const ChoiceProblem problem = arbitrary_problem();
  RC_PRE(has_choices(problem));
  ChoiceProblem bounded = problem;
  const BoundOfCosts bound = forbid_above_bound(bounded, all_of(problem));
  const auto best = optima(problem);
  RC_ASSERT(optima(bounded) == best);
  if (best.empty()) RC_ASSERT(bound.known == kForbidden);
  if (best.empty()) return;
  RC_ASSERT(bound.least <= cost_of(problem, best.front()));
  RC_ASSERT(bound.known >= cost_of(problem, best.front()));
}

// Ties are settled as they were: by the same unknowns, in the same order.
RC_GTEST_PROP(BoundedChoices, AreSettledAsWithoutABound, ()) {
  const ChoiceProblem problem = sorted_by_name(arbitrary_problem()).problem;
  ReducedChoices plain(problem), bounded(problem);
  if (!plain.reduce()) return;
  RC_ASSERT(bounded.reduce());
  ChoiceSolution figures, fewer;
  const auto expected = settle(plain, solve_with_highs, figures);
  if (!bounded.reduce_by_bound()) RC_ASSERT(!figures.feasible);
  if (!figures.feasible) return;
  RC_ASSERT(*settle(bounded, solve_with_highs, fewer) == *expected);
  RC_ASSERT(fewer.variables <= figures.variables);
}

// Costs that are all different leave one solution.
RC_GTEST_PROP(BoundedChoices, OfATreeAreThoseOfItsOptimum, ()) {
  ChoiceProblem problem;
  const int count = *rc::gen::inRange(2, 6);
  const auto cost = [] { return *rc::gen::inRange<Nanoseconds>(0, 1'000'000); };
  for (int unknown = 0; unknown < count; ++unknown) {
    problem.unknowns.push_back(
        {.name = std::to_string(unknown), .choices = {"a", "b", "c"}, .costs = {cost(), cost(), cost()}});
    if (unknown == 0) continue;
    CostTable table(3, 3);
    for (Nanoseconds& entry : table.entries) entry = cost();
    problem.add_pair(*rc::gen::inRange(0, unknown), unknown, table);
  }
  const auto best = optima(problem);
  RC_PRE(best.size() == 1u);
  const BoundOfCosts bound = forbid_above_bound(problem, all_of(problem));
  RC_ASSERT(bound.known == cost_of(problem, best.front()));
  RC_ASSERT(bound.least <= bound.known);
  // Rounded shifts, and rounds that end where little is won, leave a gap of a thousandth at most.
  RC_ASSERT(bound.known - bound.least <= 1000);
  RC_ASSERT(optima(problem) == best);
}

TEST(BoundedChoices, AreFewOfALlamaOnThreeAxes) {
  const DeviceMesh mesh{{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}};
  const PlacementPlan plan = planned(PlacementPlanner::make(LayeredLlama(1).graph(), mesh, h100(mesh)).value());
  EXPECT_LT(plan.size.variables, 10 * plan.size.unknowns) << "hundreds of thousands without";
}

TEST(BoundedChoices, WithoutASolutionInHandAllStay) {
  ChoiceProblem problem{.unknowns = {{.name = "u", .choices = {"a", "b"}, .costs = {1, 2}},
                                     {.name = "v", .choices = {"a", "b"}, .costs = {1, 2}}},
                        .pairs = {},
                        .limits = {{.name = "limit", .low = 9, .high = 9, .weights = {{0, {0, 1}}, {1, {0, 1}}}}}};
  EXPECT_EQ(forbid_above_bound(problem, all_of(problem)).known, kForbidden);
  EXPECT_EQ(allowed_count(problem), 4u);
  problem.limits.clear();
  EXPECT_EQ(forbid_above_bound(problem, all_of(problem)).known, 2);
  EXPECT_EQ(allowed_count(problem), 2u);
}

// A bound on costs so large that shifted ones could wrap around is none.
TEST(BoundedChoices, OfCostsThatAreTooLargeAllStay) {
  ChoiceProblem problem{
      .unknowns = {{.name = "u", .choices = {"a", "b"}, .costs = {1, std::int64_t{1} << 44}}}, .pairs = {}, .limits = {}};
  EXPECT_EQ(forbid_above_bound(problem, all_of(problem)).known, kForbidden);
  EXPECT_EQ(allowed_count(problem), 2u);
}

}  // namespace
}  // namespace ordercheck::placing
