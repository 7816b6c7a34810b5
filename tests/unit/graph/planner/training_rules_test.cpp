#include "graph/planner/training_rules.h"

#include <gmock/gmock.h>

#include "stack/notation.h"
#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {
namespace {

using testing::HasSubstr;

JointGraph linear(std::int64_t samples = 8) {
  GraphBuilder builder;
  const int x = builder.input({samples, 4});
  builder.input({4});
  builder.output(builder.op("aten::mm", {x, builder.parameter({4, 6})}, {samples, 6}));
  return builder.graph();
}

PlacementPlanner planner_of(const DeviceMesh& mesh, std::int64_t samples = 8) {
  return PlacementPlanner::make(linear(samples), mesh, h100(mesh)).value();
}

std::string place(const PlacementPlanner& planner, Role role, int index) {
  const PlacementPlan plan = planner.solve().value();
  return name_of(place_of(plan.nodes[find_node(planner.graph(), role, index)]));
}

TEST(TrainingRules, A7SamplesAreSplitAndTheLastDimOverWhatDoesNotSplitThem) {
  auto planner = planner_of({{"dp_shard", 2}, {"tp", 2}});
  ASSERT_TRUE(state_training_rules(planner, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}}));
  EXPECT_EQ(place(planner, Role::input, 0), "S(0)R");
  EXPECT_EQ(place(planner, Role::input, 1), "RR");
  EXPECT_EQ(place(planner, Role::output, 0), "S(0)S(1)");
}

TEST(TrainingRules, AnAxisOfOneRankSplitsNothing) {
  auto planner = planner_of({{"dp_shard", 1}, {"tp", 2}});
  ASSERT_TRUE(state_training_rules(planner, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}}));
  EXPECT_EQ(place(planner, Role::input, 0), "RR");
  EXPECT_EQ(place(planner, Role::output, 0), "RS(1)");
}

TEST(TrainingRules, A6BoundMemoryUnlessToldNotTo) {
  auto bounded = planner_of({{"dp_shard", 2}}), free = planner_of({{"dp_shard", 2}});
  ASSERT_TRUE(state_training_rules(bounded, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}}));
  ASSERT_TRUE(state_training_rules(free, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}, .memory = {}}));
  EXPECT_NE(place(bounded, Role::parameter, 0), "R");
  EXPECT_EQ(place(free, Role::parameter, 0), "R");
}

// Replicas of a hybrid: every group of shards has the whole of a parameter.
TEST(TrainingRules, AxesOfReplicasShardNoParameter) {
  const DeviceMesh mesh{{"dp_replicate", 2}, {"dp_shard", 2}};
  auto hybrid = planner_of(mesh), sharded = planner_of(mesh);
  const std::set<std::string> both{"dp_replicate", "dp_shard"};
  ASSERT_TRUE(
      state_training_rules(hybrid, {.batch_axes = both, .replica_axes = {"dp_replicate"}, .has_samples = {true, false}}));
  ASSERT_TRUE(state_training_rules(sharded, {.batch_axes = both, .has_samples = {true, false}}));
  EXPECT_EQ(place(hybrid, Role::parameter, 0).substr(0, 2), "RS");
  EXPECT_EQ(place(sharded, Role::parameter, 0).substr(0, 1), "S");
}

TEST(TrainingRules, AreThoseOfAnItem) {
  const auto stated =
      stated_placement(parse_stack("auto_parallel=4:tp=2:replicas=3:memory=replicated:prefetch=free").value().items.front());
  EXPECT_EQ(stated.mesh, (DeviceMesh{{"dp_replicate", 3}, {"dp_shard", 4}, {"tp", 2}}));
  EXPECT_EQ(stated.rules.batch_axes, (std::set<std::string>{"dp_replicate", "dp_shard"}));
  EXPECT_EQ(stated.rules.replica_axes, (std::set<std::string>{"dp_replicate"}));
  EXPECT_FALSE(stated.rules.memory);
  EXPECT_EQ(stated.rules.prefetched_percent, 0);
  EXPECT_EQ(stated_placement(parse_stack("auto_parallel=4").value().items.front()).mesh, (DeviceMesh{{"dp_shard", 4}}));
}

TEST(TrainingRules, A21CountWhatCanBeMadeAheadAsTheyAreTold) {
  auto counted = planner_of({{"dp_shard", 2}}), free = planner_of({{"dp_shard", 2}});
  ASSERT_TRUE(state_training_rules(counted, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}}));
  ASSERT_TRUE(state_training_rules(free, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}, .prefetched_percent = 0}));
  const auto all = counted.solve(), less = free.solve();
  ASSERT_TRUE(all && less);
  EXPECT_EQ(all->objective, all->cost());
  EXPECT_LT(less->objective, less->cost());
}

TEST(TrainingRules, RefuseABatchThatDoesNotReachEveryRank) {
  auto planner = planner_of({{"dp_shard", 4}}, 2);
  const Status stated = state_training_rules(planner, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}});
  ASSERT_FALSE(stated);
  EXPECT_THAT(stated.error().message, HasSubstr("S(0)"));
}

}  // namespace
}  // namespace ordercheck::placing
