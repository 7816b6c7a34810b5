#include "placing/plan/placement_planner.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "placing/plan/repeated_nodes.h"
#include "unit/placing/plan/arbitrary_graph.h"
#include "unit/placing/plan/exhaustive_search.h"

namespace ordercheck::placing {
namespace {

using testing::HasSubstr;

const DeviceMesh kShards{{"dp_shard", 2}};
const DeviceMesh kShardsAndTensors{{"dp_shard", 2}, {"tp", 2}};

// Slow links and no launch, so that what is drawn is not all the same in cost.
Machine some_machine(const DeviceMesh& mesh) {
  return {.flops_per_us = {{8, 7.0}},
          .memory_bytes_per_us = 11,
          .reachable = 1,
          .launch_us = 0,
          .links = std::vector(mesh.size(), Link{.bytes_per_us = 3, .latency_us = 1})};
}

PlacementPlanner planner_of(const JointGraph& graph, const DeviceMesh& mesh) {
  return PlacementPlanner::make(graph, mesh, some_machine(mesh)).value();
}

// Each with every way of solving for it.
void expect_exhaustive_optimum(const PlacementPlanner& planner) {
  const std::optional<Nanoseconds> least = ExhaustiveSearch(planner).least();
  for (const bool reduce : {true, false}) {
    const auto plan = planner.solve({.alike_within = std::nullopt, .reduce = reduce});
    if (!plan) RC_LOG() << plan.error().message;
    RC_ASSERT(static_cast<bool>(plan) == least.has_value());
    if (plan) RC_ASSERT(plan->cost() == *least);
    if (!plan) RC_ASSERT(plan.error().message.find("no placement keeps all of") != std::string::npos);
  }
}

RC_GTEST_PROP(PlacementPlanner, A3TheOptimumIsThatOfAnExhaustiveSearchOnOneAxis, ()) {
  expect_exhaustive_optimum(planner_of(arbitrary_graph(*rc::gen::inRange(1, 5)), kShards));
}

RC_GTEST_PROP(PlacementPlanner, A3TheOptimumIsThatOfAnExhaustiveSearchOnTwoAxes, ()) {
  expect_exhaustive_optimum(planner_of(arbitrary_graph(*rc::gen::inRange(1, 3)), kShardsAndTensors));
}

RC_GTEST_PROP(PlacementPlanner, A3AndA6TheOptimumIsThatOfAnExhaustiveSearchUnderRules, ()) {
  PlacementPlanner planner = planner_of(arbitrary_graph(*rc::gen::inRange(1, 4)), kShards);
  const double low = *rc::gen::element(0.0, 0.5, 0.6), high = *rc::gen::element(0.6, 0.8, 1.0);
  RC_ASSERT(planner.bound_parameter_memory(low, high));
  if (*rc::gen::arbitrary<bool>()) RC_ASSERT(planner.pin_outputs({Placements{replicate()}}));
  expect_exhaustive_optimum(planner);
}

RC_GTEST_PROP(PlacementPlanner, A4AlikeNodesPlacedAlikeAreTheBestOfSuchPlans, ()) {
  const PlacementPlanner planner = planner_of(arbitrary_graph(*rc::gen::inRange(1, 4)), kShards);
  const int radius = *rc::gen::inRange(0, 3);
  const std::vector<int> alike = alike_nodes(planner.graph(), paired_nodes(planner.graph()),
                                             std::vector<std::string>(planner.graph().nodes.size()), radius);
  const auto plan = planner.solve({.alike_within = radius});
  RC_ASSERT(static_cast<bool>(plan));
  RC_ASSERT(plan->cost() == ExhaustiveSearch(planner, alike).least());
}

}  // namespace
}  // namespace ordercheck::placing
