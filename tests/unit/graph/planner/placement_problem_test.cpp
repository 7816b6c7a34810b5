#include "graph/planner/placement_problem.h"

#include <gtest/gtest.h>

#include "unit/graph/planner/planned_llama.h"

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

// Samples over both batch axes, columns and then rows over tp; every parameter over all ranks.
TEST(FoundPlans, A17OfALlamaOnThreeAxesIsAllThree) {
  const DeviceMesh mesh{{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}};
  const PlacementPlanner planner = llama_planner(mesh, 16);
  const PlacementPlan plan = planned(planner);
  EXPECT_EQ(forward_products(planner, plan), of_two_layers("S(0)S(0)R,RRS(1)->S(0)S(0)S(1)", "S(0)S(0)S(1),RRS(0)->S(0)S(0)P",
                                                           "S(0)S(0)R,RRS(1)->S(0)S(0)S(1)"));
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    if (planner.graph().nodes[node].role != Role::parameter) continue;
    EXPECT_EQ(
        held_share(planner.graph().values[planner.graph().nodes[node].results[0]].shape, place_of(plan.nodes[node]), mesh),
        kWhole / 8);
  }
}

// Of a bound of 1 nothing comes: every parameter of the layers is replicated, as without it. The bound of 1 over the ranks shards them.
TEST(FoundPlans, A6BoundedByOneIsDataParallel) {
  PlacementPlanner planner = llama_planner({{"dp_shard", 8}}, 16);
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  const auto whole_in_layers = [&](const PlacementPlan& plan) {
    int count = 0;
    for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
      const JointNode& each = planner.graph().nodes[node];
      const bool is_in_layer = each.role == Role::parameter && each.index >= 1 && each.index <= 18;
      count += is_in_layer && place_of(plan.nodes[node]) == Placements{replicate()} ? 1 : 0;
    }
    return count;
  };
  const PlacementPlan free = planner.solve().value();
  ASSERT_TRUE(planner.bound_parameter_memory(0, 1));
  const PlacementPlan bounded = planner.solve().value();
  EXPECT_EQ(bounded.nodes, free.nodes);
  EXPECT_EQ(whole_in_layers(bounded), 18);
  ASSERT_TRUE(planner.bound_parameter_memory());
  EXPECT_EQ(whole_in_layers(planner.solve().value()), 0);
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
