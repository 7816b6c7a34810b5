#include "graph/planner/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/planner/arbitrary_graph.h"
#include "unit/graph/planner/exhaustive_search.h"
#include "unit/graph/planner/planned_llama.h"

namespace ordercheck::placing {
namespace {

using testing::HasSubstr;

const DeviceMesh kTwoRanks{{"dp_shard", 2}};

// Two products. The gradient of the first parameter is made for nobody else; that of the second is an output as well.
JointGraph two_products() {
  GraphBuilder builder;
  const int one = builder.parameter({8, 8}), other = builder.parameter({8, 8}), x = builder.input({8, 8});
  const int turned = builder.op("aten::t", {one}, {8, 8});
  const int y = builder.op("aten::mm", {x, turned}, {8, 8});
  builder.output(builder.op("aten::mm", {y, other}, {8, 8}));
  builder.begin_backward();
  const int tangent = builder.tangent({8, 8});
  builder.gradient(builder.op("aten::neg", {builder.op("aten::mm", {x, tangent}, {8, 8})}, {8, 8}), 0);
  const int shared = builder.op("aten::mm", {y, tangent}, {8, 8});
  builder.gradient(shared, 1);
  builder.output(shared);
  return builder.graph();
}

TEST(PrefetchedEdges, A21AreOfParametersAndOfGradientsAlone) {
  const JointGraph graph = two_products();
  std::set<std::string> names;
  for (const auto& [node, operand] : prefetched_edges(graph))
    names.insert(name_of(graph, node) + "," + std::to_string(operand));
  EXPECT_EQ(names, (std::set<std::string>{
                       "%3 aten::t,0", "%4 aten::mm,1", "%5 aten::mm,1",    // parameters and what is made of them alone
                       "%7 aten::mm,0", "%7 aten::mm,1", "%8 aten::neg,0",  // ends in a gradient alone
                       "gradient of parameter 0,0", "gradient of parameter 1,0"}));  // not the product that is an output too
}

TEST(Discounted, A21LeavesWhatIsForbiddenAndThePreferenceToStay) {
  EXPECT_EQ(discounted(0, 0), 0);
  EXPECT_EQ(discounted(kForbidden, 0), kForbidden);
  EXPECT_EQ(discounted(kPreferredStay, 0), kPreferredStay);
  EXPECT_EQ(discounted(kPreferredStay + 5000, 0), kPreferredStay);
  EXPECT_EQ(discounted(kPreferredStay + 5000, 50), kPreferredStay + 2500);
  EXPECT_EQ(discounted(kPreferredStay + 5001, 100), kPreferredStay + 5001);
}

RC_GTEST_PROP(Discounted, A21TheObjectiveIsTheLeastOfAnExhaustiveSearch, ()) {
  PlacementPlanner planner = planner_of(arbitrary_graph(*rc::gen::inRange(1, 4)), kTwoRanks);
  RC_ASSERT(planner.count_prefetched(*rc::gen::element(0, 30, 50, 100)));
  if (*rc::gen::arbitrary<bool>()) RC_ASSERT(planner.bound_parameter_memory());
  const std::optional<Nanoseconds> least = ExhaustiveSearch(planner).least();
  const auto plan = planner.solve();
  RC_ASSERT(static_cast<bool>(plan) == least.has_value());
  if (!plan) return;
  RC_ASSERT(plan->objective == *least);
  RC_ASSERT(plan->objective <= plan->cost());
}

Nanoseconds undiscounted(const PlacementPlanner& planner, const PlacementPlan& plan) {
  Nanoseconds sum = 0;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const NodePlan& each = plan.nodes[node];
    sum += run_cost(planner.graph(), static_cast<int>(node), {.operands = each.operands, .results = each.results},
                    planner.mesh(), planner.machine())
               .value();
    for (std::size_t at = 0; at < each.operands.size(); ++at)
      sum += move_cost(planner.graph().values[planner.graph().nodes[node].operands[at]], each.sources[at], each.operands[at],
                       planner.mesh(), planner.machine());
  }
  return sum;
}

TEST(Discounted, A21OfALlamaShardsWhatCostsNothingToGatherAndSaysWhatItCosts) {
  const DeviceMesh mesh{{"dp_shard", 8}};
  PlacementPlanner planner = llama_planner(mesh, 16);
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  const PlacementPlan counted = planner.solve().value();
  EXPECT_EQ(counted.objective, counted.cost());
  ASSERT_TRUE(planner.count_prefetched(0));
  const PlacementPlan free = planner.solve().value();
  EXPECT_EQ(free.cost(), undiscounted(planner, free));
  EXPECT_GE(free.cost(), counted.cost()) << "else the first was not the best";
  EXPECT_LT(free.objective, counted.objective);
  EXPECT_LT(free.objective, free.cost());
}

// A plan that takes a discount on an edge that nothing can be ahead of.
TEST(Discounted, A21OnAnotherEdgeIsRefused) {
  GraphBuilder builder;
  const int x = builder.input({64, 64});
  builder.output(builder.op("aten::silu", {x}, {64, 64}));
  PlacementPlanner planner = planner_of(builder.graph(), kTwoRanks);
  ASSERT_TRUE(planner.pin_inputs({Placements{shard(0)}}));
  ASSERT_TRUE(planner.pin_outputs({Placements{replicate()}}));
  const PlacementPlan whole = planner.solve().value();
  ASSERT_GT(whole.move_cost, 2 * kPreferredStay);
  ASSERT_TRUE(planner.count_prefetched(50));
  PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(plan.nodes, whole.nodes);
  EXPECT_EQ(plan.objective, whole.cost()) << "activations count as they did";
  plan.objective = plan.run_cost + discounted(plan.move_cost, 50);
  const Status verified = verify_plan(planner.graph(), planner.mesh(), planner.machine(), planner.rules(), plan);
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.error().message, HasSubstr("the plan states an objective of"));
}

TEST(Discounted, A21IsAPercentage) {
  PlacementPlanner planner = planner_of(two_products(), kTwoRanks);
  EXPECT_EQ(planner.count_prefetched(101).error().message,
            "how much of a prefetched redistribution counts: expected 0 to 100 percent, got 101");
  EXPECT_FALSE(planner.count_prefetched(-1));
}

}  // namespace
}  // namespace ordercheck::placing
