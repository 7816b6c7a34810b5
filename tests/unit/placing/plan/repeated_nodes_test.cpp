#include "placing/plan/repeated_nodes.h"

#include <algorithm>
#include <map>
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

// The same operator on the same value, once in each half: but for the half they would be alike.
TEST(AlikeNodes, A4OfBothHalvesAreNotAlikeThoughAllElseIs) {
  const auto are_alike = [](bool in_both_halves) {
    GraphBuilder builder;
    const int x = builder.input({4, 4});
    builder.op("aten::silu", {x}, {4, 4});
    if (in_both_halves) builder.begin_backward();
    builder.op("aten::silu", {x}, {4, 4});
    const std::vector<int> classes = classes_within(builder.graph(), 0);
    return classes[1] == classes[2];
  };
  EXPECT_TRUE(are_alike(false));
  EXPECT_FALSE(are_alike(true));
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

// Never less, and here by no more than a ten-thousandth more: placed alike is one rule more.
TEST(RepeatedBlocks, A4CostNoLessOnAnyMesh) {
  for (const DeviceMesh& mesh : {DeviceMesh{{"dp_shard", 4}}, DeviceMesh{{"tp", 2}}, DeviceMesh{{"dp_shard", 2}, {"tp", 4}}}) {
    const PlacementPlanner planner = PlacementPlanner::make(LayeredLlama(6).graph(), mesh, h100(mesh)).value();
    const PlacementPlan alike = planned(planner), each = planned(planner, {.alike_within = std::nullopt});
    EXPECT_GE(alike.cost(), each.cost());
    EXPECT_LE(alike.cost(), each.cost() + each.cost() / 10'000);
    EXPECT_LT(alike.size.unknowns, each.size.unknowns);
  }
}

// Nodes of one class that a plan places in two ways.
int placed_otherwise(const std::vector<int>& classes, const PlacementPlan& plan) {
  std::map<int, const NodePlan*> first;
  int count = 0;
  for (std::size_t node = 0; node < classes.size(); ++node) {
    const NodePlan& own = plan.nodes[node];
    const NodePlan& other = *first.emplace(classes[node], &own).first->second;
    count += own.operands != other.operands || own.results != other.results ? 1 : 0;
  }
  return count;
}

TEST(RepeatedBlocks, A4OfOneClassAreAllPlacedAlike) {
  const DeviceMesh mesh{{"dp_shard", 2}, {"tp", 2}};
  PlacementPlanner planner = PlacementPlanner::make(LayeredLlama(8).graph(), mesh, h100(mesh)).value();
  PlacementPlan plan = planner.solve({.alike_within = 6}).value();
  const std::vector<int> classes = classes_within(planner.graph(), 6);
  ASSERT_LT(class_count(classes), classes.size());
  EXPECT_EQ(placed_otherwise(classes, plan), 0);
  // One layer placed otherwise than the next is seen.
  std::map<int, int> sizes;
  for (const int each : classes) ++sizes[each];
  for (std::size_t node = 0; node < classes.size(); ++node) {
    if (sizes[classes[node]] < 2 || planner.strategies()[node].choices.size() < 2) continue;
    const std::vector<Strategy>& choices = planner.strategies()[node].choices;
    const bool has_first = choices[0].operands == plan.nodes[node].operands && choices[0].results == plan.nodes[node].results;
    plan.nodes[node].operands = choices[has_first ? 1 : 0].operands;
    plan.nodes[node].results = choices[has_first ? 1 : 0].results;
    break;
  }
  EXPECT_GT(placed_otherwise(classes, plan), 0);
}

// Of two products of a chain, one has a user more, which wants it whole: placed alike, the other would be gathered for nothing.
TEST(RepeatedBlocks, A4WithOneUserMoreArePlannedOnTheirOwn) {
  const auto costs = [](bool has_one_more) {
    GraphBuilder builder;
    const int x = builder.input({64, 64}), w = builder.parameter({64, 64});
    std::vector<int> blocks;
    for (int block = 0; block < 4; ++block)
      blocks.push_back(builder.op("aten::silu", {builder.op("aten::mm", {x, w}, {64, 64})}, {64, 64}));
    for (const int block : blocks) builder.output(builder.op("aten::neg", {block}, {64, 64}));
    if (has_one_more) builder.output(builder.op("aten::cumsum", {blocks[2]}, {64, 64}, {"0"}));
    const PlacementPlanner planner = planner_of(builder.graph(), {{"tp", 2}});
    const PlacementPlan alike = planner.solve({.alike_within = 4}).value(),
                        each = planner.solve({.alike_within = std::nullopt}).value();
    EXPECT_EQ(alike.cost(), each.cost());
    return alike.size;
  };
  EXPECT_GT(costs(true).unknowns, costs(false).unknowns + 2) << "the block and those that see it, not the user alone";
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
  // Of 32 layers those in the middle are planned as one; the ends, within the radius of both, are three layers' worth.
  const PlanSize one = size_of(1), many = size_of(32);
  EXPECT_EQ(many.unknowns, eight.unknowns);
  EXPECT_LT(many.unknowns, 3 * one.unknowns);
  EXPECT_LT(many.variables, 3 * one.variables);
  EXPECT_GT(many.nodes, 20 * one.nodes);
  EXPECT_EQ(many.programs_solved, 1);
}

}  // namespace
}  // namespace ordercheck::placing
