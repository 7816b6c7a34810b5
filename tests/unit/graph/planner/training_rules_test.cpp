#include "graph/planner/training_rules.h"

#include <gmock/gmock.h>

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
  ASSERT_TRUE(state_training_rules(free, {.batch_axes = {"dp_shard"}, .has_samples = {true, false}, .bounds_memory = false}));
  EXPECT_NE(place(bounded, Role::parameter, 0), "R");
  EXPECT_EQ(place(free, Role::parameter, 0), "R");
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
