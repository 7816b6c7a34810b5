#include <functional>

#include <gmock/gmock.h>

#include "graph/planner/placement_plan.h"
#include "unit/graph/planner/planned_llama.h"

namespace ordercheck::placing {
namespace {

using testing::HasSubstr;

// A product of a parameter whose gradient goes out, planned under every kind of rule.
class VerifyPlan : public testing::Test {
 protected:
  static PlacementPlanner make_planner() {
    GraphBuilder builder;
    const int weight = builder.parameter({4, 8}), x = builder.input({4, 4});
    const int product = builder.op("aten::mm", {x, weight}, {4, 8});
    builder.output(builder.op("aten::mul", {product, product}, {4, 8}));
    builder.begin_backward();
    const int tangent = builder.tangent({4, 8});
    builder.gradient(builder.op("aten::mm", {builder.op("aten::t", {x}, {4, 4}), tangent}, {4, 8}), 0);
    PlacementPlanner planner = planner_of(builder.graph(), {{"dp_shard", 2}});
    EXPECT_TRUE(planner.pin_inputs({std::nullopt}));
    EXPECT_TRUE(planner.bound_parameter_memory());
    return planner;
  }

  Status verify() const { return verify_plan(planner_.graph(), planner_.mesh(), planner_.machine(), rules_, plan_); }
  std::string fault() const {
    const Status verified = verify();
    return verified ? "" : verified.error().message;
  }

  int node(const std::string& op, int count = 0) const {
    for (std::size_t at = 0; at < planner_.graph().nodes.size(); ++at) {
      if (planner_.graph().nodes[at].op == op && count-- == 0) return static_cast<int>(at);
    }
    ADD_FAILURE() << "no " << op;
    return 0;
  }
  int of_role(Role role) const { return find_node(planner_.graph(), role, 0); }

  // Costs as they are after tampering, so that it is not they that give it away.
  void state_costs() {
    plan_.run_cost = plan_.move_cost = plan_.objective = 0;
    for (std::size_t at = 0; at < plan_.nodes.size(); ++at) {
      const NodePlan& planned = plan_.nodes[at];
      plan_.run_cost +=
          run_cost(planner_.graph(), static_cast<int>(at), {.operands = planned.operands, .results = planned.results},
                   planner_.mesh(), planner_.machine())
              .value();
      for (std::size_t operand = 0; operand < planned.operands.size(); ++operand)
        plan_.move_cost += move_cost(planner_.graph().values[planner_.graph().nodes[at].operands[operand]],
                                     planned.sources[operand], planned.operands[operand], planner_.mesh(), planner_.machine());
    }
    plan_.objective = plan_.cost();
  }

  // Where a node's result is, said to whoever takes it too.
  void place(int at, Placement placement) {
    plan_.nodes[at].results = {{placement}};
    const std::vector<std::vector<int>> taken_by = users(planner_.graph());
    for (const int user : taken_by[at]) {
      for (std::size_t operand = 0; operand < plan_.nodes[user].sources.size(); ++operand) {
        if (planner_.graph().nodes[user].operands[operand] == planner_.graph().nodes[at].results[0])
          plan_.nodes[user].sources[operand] = {placement};
      }
    }
  }

  PlacementPlanner planner_ = make_planner();
  PlacementRules rules_ = planner_.rules();
  PlacementPlan plan_ = planner_.solve().value();
};

TEST_F(VerifyPlan, TakesWhatTheSolverFound) { EXPECT_EQ(fault(), ""); }

TEST_F(VerifyPlan, RefusesAPlanOfAnotherGraph) {
  plan_.nodes.pop_back();
  EXPECT_THAT(fault(), HasSubstr("places"));
}

TEST_F(VerifyPlan, A1RefusesWhatNoStrategyHas) {
  NodePlan& product = plan_.nodes[node("aten::mm")];
  product.operands = {{shard(1)}, {shard(0)}};
  product.results = {{replicate()}};
  EXPECT_THAT(fault(), HasSubstr("cannot run as S(1),S(0)->R"));
}

TEST_F(VerifyPlan, A2RefusesAnOperandThatComesFromElsewhere) {
  plan_.nodes[node("aten::mm")].sources[0] = {shard(1)};
  EXPECT_THAT(fault(), HasSubstr("operand 0 of"));
  plan_ = planner_.solve().value();
  NodePlan& square = plan_.nodes[node("aten::mul")];
  square.sources[1] = square.sources[1] == Placements{shard(0)} ? Placements{shard(1)} : Placements{shard(0)};
  EXPECT_THAT(fault(), HasSubstr("operand 1 of"));
  plan_ = planner_.solve().value();
  plan_.nodes[node("aten::mul")].sources.pop_back();
  EXPECT_THAT(fault(), HasSubstr("the plan names the sources of 1"));
}

TEST_F(VerifyPlan, A10RefusesAWayThatThereIsNot) {
  // What is whole becomes a partial sum.
  NodePlan& turned = plan_.nodes[node("aten::t")];
  turned.operands = {{partial()}};
  turned.results = {{partial()}};
  const std::vector<int> taken_by = users(planner_.graph())[node("aten::t")];
  for (const int user : taken_by) plan_.nodes[user].sources[0] = {partial()};
  EXPECT_THAT(fault(), HasSubstr("to P"));
}

TEST_F(VerifyPlan, A10RefusesAPartialSumAtTheEnds) {
  place(of_role(Role::tangent), partial());
  EXPECT_THAT(fault(), HasSubstr("cannot run as ->P"));
}

TEST_F(VerifyPlan, A5RefusesAPairThatIsNotPlacedAlike) {
  const int parameter = of_role(Role::parameter);
  place(parameter, plan_.nodes[parameter].results[0][0] == shard(0) ? shard(1) : shard(0));
  EXPECT_THAT(fault(), HasSubstr("expected the same"));
}

TEST_F(VerifyPlan, A6RefusesMoreMemoryThanTheBound) {
  place(of_role(Role::parameter), replicate());
  plan_.nodes[of_role(Role::gradient_of_parameter)].operands = {{replicate()}};
  EXPECT_THAT(fault(), HasSubstr("a rank holds 1 of 1 parameters, summed as ratios; expected 0.5 to 0.5"));
  rules_.memory = {};
  state_costs();
  EXPECT_EQ(fault(), "") << "nothing else is wrong with it";
}

TEST_F(VerifyPlan, A7RefusesAnInputThatIsNotWhereItWasPinned) {
  place(of_role(Role::input), replicate());
  EXPECT_THAT(fault(), HasSubstr("placement of input 0: expected S(0), the plan has R"));
  rules_.pins.clear();
  state_costs();
  EXPECT_EQ(fault(), "") << "nothing else is wrong with it";
}

TEST_F(VerifyPlan, A7RefusesAnOutputThatIsNotWhereItWasPinned) {
  NodePlan& output = plan_.nodes[of_role(Role::output)];
  rules_.pins.push_back({.name = "placement of output 0", .node = of_role(Role::output), .placements = output.operands[0]});
  EXPECT_EQ(fault(), "");
  rules_.pins.back().placements = {output.operands[0][0] == shard(1) ? shard(0) : shard(1)};
  EXPECT_THAT(fault(), HasSubstr("placement of output 0: expected"));
}

TEST_F(VerifyPlan, RefusesCostsThatAreNotTheSums) {
  ++plan_.move_cost;
  EXPECT_THAT(fault(), HasSubstr("the plan says that operators take"));
  --plan_.move_cost;
  --plan_.run_cost;
  EXPECT_THAT(fault(), HasSubstr("the plan says that operators take"));
  ++plan_.run_cost;
  --plan_.objective;
  EXPECT_THAT(fault(), HasSubstr("the plan states an objective of"));
}

// Any node's strategy, changed for any other of the same node, is refused or is a plan that costs no less.
TEST_F(VerifyPlan, NoSingleChangePassesAndCostsLess) {
  const PlacementPlan sound = plan_;
  int refused = 0, passed = 0;
  for (std::size_t at = 0; at < sound.nodes.size(); ++at) {
    for (const Strategy& other : planner_.strategies()[at].choices) {
      plan_ = sound;
      plan_.nodes[at].operands = other.operands;
      if (!other.results.empty()) place(static_cast<int>(at), other.results[0][0]);
      if (plan_.nodes == sound.nodes) continue;
      EXPECT_NE(fault(), "") << "with the costs of the other plan";
      state_costs();
      const bool holds = fault().empty();
      if (holds) EXPECT_GE(plan_.cost(), sound.cost());
      ++(holds ? passed : refused);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(passed, 0);
}

TEST(VerifyStayingEdges, A13RefusesAMoveOnTheWrongSideOfACast) {
  GraphBuilder builder;
  const int weight = builder.parameter({8, 8}), cast = builder.op("aten::_to_copy", {weight}, {8, 8}, {"15"});
  builder.set_bytes(cast, 2);
  builder.output(cast);
  const DeviceMesh mesh{{"dp_shard", 2}};
  PlacementPlanner planner = PlacementPlanner::make(builder.graph(), mesh, h100(mesh)).value();
  ASSERT_TRUE(planner.pin(0, {shard(0)}));
  PlacementPlan plan = planner.solve().value();
  plan.nodes[1] = {.sources = {{shard(0)}}, .operands = {{replicate()}}, .results = {{replicate()}}};
  plan.nodes[2] = {.sources = {{replicate()}}, .operands = {{replicate()}}, .results = {}};
  const Status verified = verify_plan(planner.graph(), mesh, planner.machine(), planner.rules(), plan);
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.error().message, HasSubstr("on the wrong side of a cast"));
}

// The gradient's sum over ranks, in the narrow dtype.
TEST(VerifyStayingEdges, A13RefusesASumBeforeACastToMoreBytes) {
  GraphBuilder builder;
  builder.parameter({8, 8});
  const int x = builder.input({8, 8});
  const int product = builder.op("aten::mm", {x, x}, {8, 8});
  for (const int value : {x, product}) builder.set_bytes(value, 2);
  builder.gradient(builder.op("aten::_to_copy", {product}, {8, 8}, {"6"}), 0);
  const DeviceMesh mesh{{"dp_shard", 2}};
  const PlacementPlanner planner = PlacementPlanner::make(builder.graph(), mesh, h100(mesh)).value();
  PlacementPlan plan = planner.solve().value();
  const auto node = [&](const std::string& op) {
    return std::ranges::find(planner.graph().nodes, op, &JointNode::op) - planner.graph().nodes.begin();
  };
  NodePlan& cast = plan.nodes[node("aten::_to_copy")];
  plan.nodes[node("aten::mm")].results = {{partial()}};
  plan.nodes[node("aten::mm")].operands = {{shard(1)}, {shard(0)}};
  cast.sources = {{partial()}};
  cast.operands = cast.results = {{replicate()}};
  plan.nodes[find_node(planner.graph(), Role::gradient_of_parameter, 0)].sources = {{replicate()}};
  const Status verified = verify_plan(planner.graph(), mesh, planner.machine(), planner.rules(), plan);
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.error().message,
              HasSubstr("operand 0 of %3 aten::_to_copy goes from P to R on the wrong side of a cast"));
}

}  // namespace
}  // namespace ordercheck::placing
