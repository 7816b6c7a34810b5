#include "graph/planner/repeated_blocks.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/planner/arbitrary_choices.h"
#include "unit/graph/planner/planned_llama.h"

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;

// A block that turned its values around would be cheapest if every second block were placed like the first: none does here.
// Blocks of drawn operators on a stream of activations, one block after another, with the names of modules.
JointGraph drawn_blocks(int blocks) {
  GraphBuilder builder;
  std::vector<std::string> modules;
  const auto name_new_nodes = [&](const std::string& module) { modules.resize(builder.graph().nodes.size(), module); };
  const auto operators = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 3));
  int x = builder.input({8, 8});
  name_new_nodes("");
  x = builder.op("aten::mm", {x, builder.parameter({8, 8})}, {8, 8});
  name_new_nodes("first");
  for (int block = 0; block < blocks; ++block) {
    const int entered = x;
    for (const int each : operators) {
      switch (each) {
        case 0: x = builder.op("aten::mm", {x, builder.parameter({8, 8})}, {8, 8}); break;
        case 1: x = builder.op("aten::silu", {x}, {8, 8}); break;
        default: x = builder.op("aten::add", {x, entered}, {8, 8}, {"1"});
      }
    }
    name_new_nodes(fmt::format("layers.{}", block));
  }
  builder.output(builder.op("aten::mm", {x, builder.parameter({8, 8})}, {8, 8}));
  name_new_nodes("last");
  JointGraph graph = builder.graph();
  for (std::size_t at = 0; at < modules.size(); ++at) graph.nodes[at].module = modules[at];
  return graph;
}

RC_GTEST_PROP(RepeatedBlocks, CostAsMuchAsThePlanOfAllNodes, ()) {
  const PlacementPlanner planner = planner_of(drawn_blocks(*rc::gen::inRange(1, 6)), {{"dp_shard", 2}, {"tp", 2}});
  const auto plain = planner.solve(), repeated = planner.solve({.repeats_blocks = true});
  RC_ASSERT(plain && repeated);
  RC_ASSERT(repeated->objective == plain->objective);
}

TEST(RepeatedBlocks, FollowTheSecondAndLeaveTheEndsAlone) {
  GraphBuilder builder;
  int x = builder.input({8, 8});
  for (int block = 0; block < 5; ++block) x = builder.op("aten::silu", {x}, {8, 8});
  JointGraph graph = builder.graph();
  for (int block = 0; block < 5; ++block)
    graph.nodes[static_cast<std::size_t>(block) + 1].module = fmt::format("layers.{}", block);
  EXPECT_THAT(leader_of_nodes(graph), ElementsAre(0, 1, 2, 2, 2, 5));
  graph.nodes[3].module = "norm";
  EXPECT_THAT(leader_of_nodes(graph), ElementsAre(0, 1, 2, 3, 2, 5));
  graph.values[static_cast<std::size_t>(graph.nodes[4].results[0])].element_bytes = 2;
  EXPECT_THAT(leader_of_nodes(graph), ElementsAre(0, 1, 2, 3, 4, 5));
}

// Any two unknowns may share a choice: the cost of the merged problem is that of the whole one with the same choices.
RC_GTEST_PROP(RepeatedBlocks, MergedUnknownsCostWhatTheWholeCosts, ()) {
  const ChoiceProblem problem = arbitrary_problem();
  std::vector<int> leaders;
  for (int unknown = 0; unknown < static_cast<int>(problem.unknowns.size()); ++unknown) {
    const int one = *rc::gen::inRange(0, unknown + 1);
    leaders.push_back(leaders.empty() || one == unknown ? unknown : leaders[static_cast<std::size_t>(one)]);
  }
  const ChoiceProblem made = merge_unknowns(problem, leaders);
  std::vector<int> all, own;
  for (std::size_t unknown = 0; unknown < leaders.size(); ++unknown) {
    const bool is_own = leaders[unknown] == static_cast<int>(unknown);
    own.push_back(is_own ? *rc::gen::inRange(0, 3) : 0);
    all.push_back(own[static_cast<std::size_t>(leaders[unknown])]);
  }
  RC_ASSERT(cost_of(made, own) == cost_of(problem, all));
}

TEST(RepeatedBlocks, AreLeftApartWhereTheRulesWantThat) {
  // Half of the parameters whole and half in parts: no plan gives all the same placement.
  JointGraph graph = products(4, true);
  for (std::size_t at = 0; at < graph.nodes.size(); ++at)
    if (graph.nodes[at].role == Role::parameter) graph.nodes[at].module = fmt::format("layers.{}", graph.nodes[at].index);
  PlacementPlanner planner = planner_of(graph, {{"dp_shard", 2}});
  ASSERT_TRUE(planner.bound_parameter_memory(0.625, 0.625));
  const auto plain = planner.solve(), repeated = planner.solve({.repeats_blocks = true});
  ASSERT_TRUE(plain && repeated);
  EXPECT_GE(repeated->objective, plain->objective);
}

}  // namespace
}  // namespace ordercheck::placing
