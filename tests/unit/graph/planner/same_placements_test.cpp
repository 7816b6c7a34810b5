#include "graph/planner/same_placements.h"

#include <gmock/gmock.h>

#include "graph/planner/training_rules.h"
#include "unit/graph/planner/planned_llama.h"

namespace ordercheck::placing {
namespace {

using testing::HasSubstr;

PlacementPlanner of_samples(std::int64_t samples, const DeviceMesh& mesh = {{"dp_shard", 4}, {"tp", 2}}) {
  auto planner = PlacementPlanner::make(LayeredLlama(2, {.samples = samples}).graph(), mesh, h100(mesh)).value();
  EXPECT_TRUE(state_training_rules(planner, {.batch_axes = {"dp_shard"}, .has_samples = {true}}));
  return planner;
}

TEST(SamePlacements, A24HoldForEveryBatchThatTheMeshDivides) {
  const PlacementPlanner planned = of_samples(8);
  const PlacementPlan plan = planned.solve().value();
  for (const std::int64_t samples : {4, 8, 12, 32}) {
    const PlacementPlanner other = of_samples(samples);
    const auto again = same_placements(planned, plan, other);
    ASSERT_TRUE(again) << samples << ": " << again.error().message;
    EXPECT_EQ(again->nodes, plan.nodes);
    EXPECT_GE(again->cost(), other.solve()->cost());
    EXPECT_EQ(again->cost() == plan.cost(), samples == 8) << samples;
    EXPECT_TRUE(verify_plan(other.graph(), other.mesh(), other.machine(), other.rules(), *again));
  }
}

TEST(SamePlacements, A24OfATamperedPlanAreRefused) {
  const PlacementPlanner planned = of_samples(8), other = of_samples(16);
  PlacementPlan plan = planned.solve().value();
  NodePlan& output = plan.nodes[find_node(planned.graph(), Role::output, 0)];
  output.operands = {{replicate(), replicate()}};
  EXPECT_THAT(same_placements(planned, plan, other).error().message,
              HasSubstr("output 0 is RR and tangent 0 is S(0)S(2): expected the same"));
}

TEST(SamePlacements, A24WithoutSamplesForEveryRankAreRefused) {
  const DeviceMesh mesh{{"dp_shard", 4}};
  auto planner = [&](std::int64_t samples) {
    return PlacementPlanner::make(LayeredLlama(1, {.samples = samples}).graph(), mesh, h100(mesh)).value();
  };
  PlacementPlanner planned = planner(8);
  ASSERT_TRUE(planned.pin_inputs({std::nullopt}));
  EXPECT_THAT(same_placements(planned, planned.solve().value(), planner(2)).error().message,
              HasSubstr("cannot run as planned with this batch size"));
}

TEST(SamePlacements, A24OfAnotherGraphAreRefused) {
  const PlacementPlanner planned = planner_of(products(2, true), {{"tp", 2}}),
                         longer = planner_of(products(3, true), {{"tp", 2}});
  const PlacementPlan plan = planned.solve().value();
  EXPECT_EQ(same_placements(planned, plan, longer).error().message,
            "the plan is for a graph of 6 nodes; traced with this batch size the graph has 8 nodes");
  GraphBuilder builder;
  const int x = builder.input({4, 8});
  builder.output(builder.op("aten::silu", {x}, {4, 8}));
  GraphBuilder negated;
  negated.output(negated.op("aten::neg", {negated.input({4, 8})}, {4, 8}));
  const PlacementPlanner one = planner_of(builder.graph(), {{"tp", 2}}), other = planner_of(negated.graph(), {{"tp", 2}});
  EXPECT_EQ(same_placements(one, one.solve().value(), other).error().message,
            "node 1 is %1 aten::silu in the planned graph; traced with this batch size it is %1 aten::neg");
}

}  // namespace
}  // namespace ordercheck::placing
