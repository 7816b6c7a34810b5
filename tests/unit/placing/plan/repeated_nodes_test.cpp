#include "placing/plan/repeated_nodes.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "placing/plan/rules.h"
#include "unit/placing/plan/planned_llama.h"

namespace ordercheck::placing {
namespace {

std::vector<int> classes_within(const JointGraph& graph, int radius) {
  return alike_nodes(graph, paired_nodes(graph), std::vector<std::string>(graph.nodes.size()), radius);
}

std::size_t class_count(const std::vector<int>& classes) { return std::set<int>(classes.begin(), classes.end()).size(); }

TEST(AlikeNodes, A4OfLayersInTheMiddleAreOneClass) {
  EXPECT_EQ(class_count(classes_within(LayeredLlama(8).graph(), 4)), class_count(classes_within(LayeredLlama(20).graph(), 4)));
  EXPECT_EQ(classes_within(LayeredLlama(8).graph(), 0).front(), 0);
}

TEST(AlikeNodes, A4NeverStandInBothHalves) {
  const JointGraph graph = LayeredLlama(6).graph();
  const std::vector<int> classes = classes_within(graph, 1);
  std::map<int, bool> halves;
  for (std::size_t node = 0; node < classes.size(); ++node)
    EXPECT_EQ(halves.emplace(classes[node], graph.nodes[node].backward).first->second, graph.nodes[node].backward);
}

TEST(AlikeNodes, A4WithOneUserMoreAreNotAlike) {
  GraphBuilder builder;
  const int x = builder.input({4, 4});
  const int one = builder.op("aten::silu", {x}, {4, 4}), other = builder.op("aten::silu", {x}, {4, 4});
  builder.output(builder.op("aten::neg", {one}, {4, 4}));
  builder.output(builder.op("aten::neg", {other}, {4, 4}));
  EXPECT_EQ(classes_within(builder.graph(), 4)[1], classes_within(builder.graph(), 4)[2]);
  builder.output(other);
  EXPECT_NE(classes_within(builder.graph(), 1)[1], classes_within(builder.graph(), 1)[2]);
}

TEST(AlikeNodes, A4ThatAreMarkedAreNotAlikeOthers) {
  GraphBuilder builder;
  const int x = builder.input({4, 4});
  builder.output(builder.op("aten::silu", {x}, {4, 4}));
  builder.output(builder.op("aten::silu", {x}, {4, 4}));
  std::vector<std::string> marks(builder.graph().nodes.size());
  EXPECT_EQ(alike_nodes(builder.graph(), {}, marks, 2)[1], alike_nodes(builder.graph(), {}, marks, 2)[3]);
  marks[3] = "S(0)";
  EXPECT_NE(alike_nodes(builder.graph(), {}, marks, 2)[1], alike_nodes(builder.graph(), {}, marks, 2)[3]);
}

TEST(AlikeNodes, A4DifferByConstantsShapesAndPlaces) {
  GraphBuilder builder;
  const int x = builder.input({4, 4}), y = builder.input({4, 4});
  builder.op("aten::pow", {x}, {4, 4}, {"2"});
  builder.op("aten::pow", {x}, {4, 4}, {"3"});
  builder.op("aten::mm", {x, y}, {4, 4});
  builder.op("aten::mm", {y, x}, {4, 4});
  const std::vector<int> classes = classes_within(builder.graph(), 3);
  EXPECT_NE(classes[2], classes[3]);
  EXPECT_NE(classes[4], classes[5]) << "x has other users than y";
}

TEST(RepeatedBlocks, A4CostAsMuchAsEveryNodeOnItsOwn) {
  const PlacementPlanner planner = llama_planner({{"dp_shard", 8}, {"tp", 8}}, 16);
  const PlacementPlan alike = planned(planner), each = planned(planner, {.alike_within = std::nullopt});
  EXPECT_EQ(alike.cost(), each.cost());
  EXPECT_LT(alike.size.unknowns, each.size.unknowns);
}

TEST(RepeatedBlocks, A4InTheMiddleArePlacedAlike) {
  const DeviceMesh mesh{{"dp_shard", 2}, {"tp", 2}};
  const PlacementPlanner planner = PlacementPlanner::make(LayeredLlama(8).graph(), mesh, h100(mesh)).value();
  const std::vector<std::string> names = forward_products(planner, planned(planner));
  for (int at = 0; at < 7; ++at) EXPECT_EQ(names[3 * 7 + at], names[4 * 7 + at]);
}

// What A4 asks, equal costs with and without, is no law: what the restriction can cost.
TEST(RepeatedBlocks, A4CanCostMorePlacedAlike) {
  PlacementPlanner planner = planner_of(products(4, true), {{"tp", 4}});
  ASSERT_TRUE(planner.bound_parameter_memory());
  const PlacementPlan alike = planner.solve({.alike_within = 0}).value(),
                      each = planner.solve({.alike_within = std::nullopt}).value();
  EXPECT_GT(alike.cost(), each.cost());
}

TEST(RepeatedBlocks, A23AreSolvedOnce) {
  const DeviceMesh mesh{{"dp_shard", 4}, {"tp", 2}};
  const auto size_of = [&](int layers) {
    return planned(PlacementPlanner::make(LayeredLlama(layers).graph(), mesh, h100(mesh)).value()).size;
  };
  const PlanSize eight = size_of(8), sixteen = size_of(16);
  EXPECT_GT(sixteen.nodes, eight.nodes);
  EXPECT_EQ(sixteen.unknowns, eight.unknowns);
  // Which choices a bound rules out depends on how often each cost counts: not equal, and not twice as many.
  EXPECT_LT(sixteen.variables, eight.variables * 5 / 4);
}

}  // namespace
}  // namespace ordercheck::placing
