#include "placing/plan/placement_problem.h"

#include <gtest/gtest.h>

#include "unit/placing/plan/planned_llama.h"

namespace ordercheck::placing {
namespace {

TEST(FoundPlans, A17OfDataParallelRanksIsFullyShardedDataParallel) {
  const PlacementPlanner planner = llama_planner({{"dp_shard", 8}}, 16);
  const PlacementPlan plan = planned(planner);
  const std::string gathered = "S(0),R->S(0)";
  EXPECT_EQ(forward_products(planner, plan), of_two_layers(gathered, gathered, gathered));
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    if (planner.graph().nodes[node].role == Role::parameter)
      EXPECT_EQ(place_of(plan.nodes[node])[0].kind, Placement::Kind::shard);
  }
}

TEST(FoundPlans, A17OfTensorParallelRanksIsColumnsThenRows) {
  const PlacementPlanner planner = llama_planner({{"tp", 8}}, 2);
  EXPECT_EQ(forward_products(planner, planned(planner)), of_two_layers("R,S(1)->S(1)", "S(1),S(0)->P", "R,S(1)->S(1)"));
}

TEST(FoundPlans, A17OfBothIsBoth) {
  const PlacementPlanner planner = llama_planner({{"dp_shard", 8}, {"tp", 8}}, 16);
  EXPECT_EQ(forward_products(planner, planned(planner)),
            of_two_layers("S(0)R,RS(1)->S(0)S(1)", "S(0)S(1),RS(0)->S(0)P", "S(0)R,RS(1)->S(0)S(1)"));
}

TEST(FoundPlans, A17AnAxisOfOneRankChangesNothing) {
  const PlacementPlanner planner = llama_planner({{"dp_replicate", 1}, {"dp_shard", 8}, {"tp", 1}}, 16);
  const std::string gathered = "RS(0)R,RRR->RS(0)R";
  EXPECT_EQ(forward_products(planner, planned(planner)), of_two_layers(gathered, gathered, gathered));
}

TEST(FoundPlans, A17OfThreeAxesAreFound) {
  const DeviceMesh mesh{{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}};
  PlacementPlanner planner = planner_of(products(2, true), mesh);
  ASSERT_TRUE(planner.bound_parameter_memory());
  const auto plan = planner.solve();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(held_share({8, 8}, place_of(plan->nodes[find_node(planner.graph(), Role::parameter, 0)]), mesh), kWhole / 8);
}

TEST(FoundPlans, A6BoundsOfOneReplicateEveryParameter) {
  PlacementPlanner planner = llama_planner({{"dp_shard", 8}}, 16);
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  ASSERT_TRUE(planner.bound_parameter_memory(1, 1));
  const PlacementPlan plan = planner.solve().value();
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    if (planner.graph().nodes[node].role == Role::parameter) EXPECT_EQ(place_of(plan.nodes[node]), Placements{replicate()});
  }
}

}  // namespace
}  // namespace ordercheck::placing
