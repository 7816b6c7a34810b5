#include "graph/planner/placement_planner.h"

#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/planner/arbitrary_graph.h"
#include "unit/graph/planner/exhaustive_search.h"
#include "unit/graph/planner/planned_llama.h"
#include "unit/graph/recorded_graph.h"

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const DeviceMesh kShards{{"dp_shard", 2}};
const DeviceMesh kShardsAndTensors{{"dp_shard", 2}, {"tp", 2}};

// Each with every way of solving for it.
void expect_exhaustive_optimum(const PlacementPlanner& planner) {
  const std::optional<Nanoseconds> least = ExhaustiveSearch(planner).least();
  for (const bool reduce : {true, false}) {
    const auto plan = planner.solve({.reduce = reduce});
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

TEST(PlacementPlanner, A2FlowHoldsForBothArgumentsOfMul) {
  GraphBuilder builder;
  const int x = builder.input({4, 8});
  builder.output(builder.op("aten::mul", {x, x}, {4, 8}));
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  ASSERT_TRUE(planner.pin_inputs({Placements{shard(1)}}));
  ASSERT_TRUE(planner.pin_outputs({Placements{shard(0)}}));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(plan.cost(), ExhaustiveSearch(planner).least());
  const auto mul = std::ranges::find(planner.graph().nodes, "aten::mul", &JointNode::op) - planner.graph().nodes.begin();
  EXPECT_EQ(plan.nodes[mul].sources[0], plan.nodes[mul].sources[1]);
}

TEST(PlacementPlanner, A5PairsArePlacedAlike) {
  PlacementPlanner planner = PlacementPlanner::make(recorded_llama(), kShardsAndTensors, h100(kShardsAndTensors)).value();
  ASSERT_TRUE(planner.bound_parameter_memory());
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(paired_nodes(planner.graph()).size(), 22u);
  for (const auto& [one, other] : paired_nodes(planner.graph()))
    EXPECT_EQ(place_of(plan.nodes[one]), place_of(plan.nodes[other]));
  EXPECT_TRUE(plan.replicated_operators.empty());
}

TEST(PlacementPlanner, A6BoundsParametersAsSumsOfRatios) {
  // A large matrix, and vectors of which one cannot be cut: with a low bound the solver may not shard all that it can.
  GraphBuilder builder;
  const int matrix = builder.parameter({64, 64}), vector = builder.parameter({64}), odd = builder.parameter({1});
  const int sum = builder.op("aten::add", {builder.op("aten::add", {matrix, vector}, {64, 64}, {"1"}), odd}, {64, 64}, {"1"});
  builder.output(sum);
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  const auto shares = [&] {
    const PlacementPlan plan = planner.solve().value();
    std::int64_t sum_of_shares = 0;
    for (const int node : free_parameters(planner.graph(), planner.mesh(), planner.rules()).nodes)
      sum_of_shares += held_share(planner.graph().values[planner.graph().nodes[node].results[0]].shape,
                                  place_of(plan.nodes[node]), planner.mesh());
    return sum_of_shares;
  };
  ASSERT_TRUE(planner.bound_parameter_memory());
  EXPECT_EQ(shares(), 2 * kWhole) << "half, half, and the one that stays whole";
  ASSERT_TRUE(planner.bound_parameter_memory(0.75, 0.75));
  EXPECT_EQ(shares(), 5 * kWhole / 2) << "one of the two is whole, whichever its bytes";
  ASSERT_TRUE(planner.bound_parameter_memory(0, 0.75));
  ASSERT_TRUE(planner.pin(find_node(planner.graph(), Role::parameter, 0), {replicate()}));
  EXPECT_LE(shares(), kWhole + 3 * kWhole / 4) << "a pinned parameter counts on neither side";
}

// The sum over parameters that no pin names, by its own count of elements.
double held_by_a_rank(const PlacementPlanner& planner, const PlacementPlan& plan) {
  double held = 0;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const bool is_pinned =
        std::ranges::any_of(planner.rules().pins, [&](const Pin& pin) { return pin.node == static_cast<int>(node); });
    if (planner.graph().nodes[node].role != Role::parameter || is_pinned) continue;
    const Shape& shape = planner.graph().values[planner.graph().nodes[node].results[0]].shape;
    held += static_cast<double>(element_count(local_shape(shape, plan.nodes[node].results[0], planner.mesh()))) /
            static_cast<double>(element_count(shape));
  }
  return held;
}

RC_GTEST_PROP(PlacementPlanner, A6HoldsEverySumBetweenItsBounds, ()) {
  PlacementPlanner planner = planner_of(arbitrary_graph(*rc::gen::inRange(1, 5)), kShardsAndTensors);
  const double low = *rc::gen::element(0.0, 0.25, 0.4), high = *rc::gen::element(0.5, 0.75, 1.0);
  RC_ASSERT(planner.bound_parameter_memory(low, high));
  const auto plan = planner.solve();
  if (!plan) return;
  double least = 0, most = 0;
  for (const std::int64_t best : free_parameters(planner.graph(), planner.mesh(), {}).least) {
    least += std::max(low, static_cast<double>(best) / kWhole);
    most += std::max(high, static_cast<double>(best) / kWhole);
  }
  constexpr double kRounding = 1e-5;
  RC_ASSERT(held_by_a_rank(planner, *plan) >= least - kRounding);
  RC_ASSERT(held_by_a_rank(planner, *plan) <= most + kRounding);
}

TEST(PlacementPlanner, A6BoundsByTheNumberOfRanksUnlessToldOtherwise) {
  PlacementPlanner planner = planner_of(products(2, true), kShardsAndTensors);
  ASSERT_TRUE(planner.bound_parameter_memory());
  EXPECT_EQ(planner.rules().memory.low, 0.0);
  EXPECT_EQ(planner.rules().memory.high, 0.25);
  EXPECT_EQ(held_by_a_rank(planner, planner.solve().value()), 0.5) << "a quarter of each";
}

TEST(PlacementPlanner, A6AParameterOfFewerElementsThanRanksRaisesTheBound) {
  GraphBuilder builder;
  const int large = builder.parameter({8, 8}), small = builder.parameter({2});
  builder.output(builder.op("aten::sum", {large}, {1, 8}, {"[0]", "True", "None"}));
  builder.output(builder.op("aten::neg", {small}, {2}));
  PlacementPlanner planner = planner_of(builder.graph(), {{"dp_shard", 4}});
  ASSERT_TRUE(planner.bound_parameter_memory());
  EXPECT_EQ(held_by_a_rank(planner, planner.solve().value()), 1.25);
}

TEST(PlacementPlanner, A6LeavesOutWhatIsPinned) {
  PlacementPlanner planner = planner_of(products(2, true), kShards);
  const int pinned = find_node(planner.graph(), Role::parameter, 0);
  ASSERT_TRUE(planner.bound_parameter_memory());
  ASSERT_TRUE(planner.pin(pinned, {replicate()}));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(held_by_a_rank(planner, plan), 0.5);
  PlacementRules counted = planner.rules();
  counted.pins.clear();
  EXPECT_THAT(verify_plan(planner.graph(), planner.mesh(), planner.machine(), counted, plan).error().message,
              HasSubstr("a rank holds 1.5 of 2 parameters"))
      << "were it not pinned";
}

// Of nine parameters one may be whole. It is the one whose elements are nearly all of them, for it is the dearest to gather.
TEST(PlacementPlanner, A6WeighsRatiosAndNotBytes) {
  GraphBuilder builder;
  std::vector<int> parameters{builder.parameter({64, 64})};
  for (int count = 0; count < 8; ++count) parameters.push_back(builder.parameter({8}));
  for (const int each : parameters) builder.output(builder.op("aten::silu", {each}, builder.shape(each)));
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  std::vector<std::optional<Placements>> outputs(parameters.size(), Placements{replicate()});
  ASSERT_TRUE(planner.pin_outputs(outputs));
  ASSERT_TRUE(planner.bound_parameter_memory(0.5, 5.0 / 9));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(held_by_a_rank(planner, plan), 1 + 8 * 0.5);
  EXPECT_EQ(place_of(plan.nodes[find_node(planner.graph(), Role::parameter, 0)]), Placements{replicate()});
  for (int small = 1; small < 9; ++small)
    EXPECT_EQ(place_of(plan.nodes[find_node(planner.graph(), Role::parameter, small)]), Placements{shard(0)});
}

TEST(PlacementPlanner, A6RefusesBoundsThatNoneCanKeep) {
  PlacementPlanner planner = planner_of(products(1, true), kShards);
  EXPECT_EQ(planner.bound_parameter_memory(0.6, 0.5).error().message,
            "the share of parameters that a rank holds: expected 0 <= low <= high <= 1, got 0.6 and 0.5");
  EXPECT_FALSE(planner.bound_parameter_memory(-1));
  EXPECT_FALSE(planner.bound_parameter_memory(0, 2));
}

TEST(PlacementPlanner, A6ARemovedRuleGivesTheOptimumBack) {
  PlacementPlanner planner = planner_of(products(2, false), kShards);
  const Nanoseconds free = planner.solve()->cost();
  const std::string name = planner.pin(find_node(planner.graph(), Role::output, 0), {shard(1)}).value();
  ASSERT_TRUE(planner.bound_parameter_memory(0, 0.5));
  EXPECT_GT(planner.solve()->cost(), free);
  ASSERT_TRUE(planner.remove({name, kMemoryLow, kMemoryHigh}));
  EXPECT_EQ(planner.solve()->cost(), free);
  EXPECT_EQ(planner.remove({name}).error().message, "there is no rule 'placement of output 0' to remove");
}

TEST(PlacementPlanner, A7InputsAndOutputsAreWhereTheyAreStated) {
  PlacementPlanner planner = planner_of(products(1, true), kShardsAndTensors);
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  ASSERT_TRUE(planner.pin_outputs({Placements{replicate(), shard(1)}}));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(name_of(place_of(plan.nodes[find_node(planner.graph(), Role::input, 0)])), "S(0)R");
  EXPECT_EQ(name_of(place_of(plan.nodes[find_node(planner.graph(), Role::output, 0)])), "RS(1)");
}

TEST(PlacementPlanner, A7RefusesPlacementsThatCannotBe) {
  PlacementPlanner planner = planner_of(products(1, true), kShards);
  EXPECT_EQ(planner.pin_inputs({Placements{shard(2)}}).error().message,
            "placement of input 0: a value of [4, 8] cannot be S(2) on (dp_shard=2)");
  EXPECT_EQ(planner.pin_inputs({Placements{partial()}}).error().message,
            "placement of input 0: a value of [4, 8] cannot be P on (dp_shard=2)");
  EXPECT_EQ(planner.pin_inputs({}).error().message, "expected placements for 1 inputs, got 0");
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  EXPECT_EQ(planner.pin_inputs({std::nullopt}).error().message, "placement of input 0 is stated already; remove it first");
}

TEST(PlacementPlanner, A7NothingStatedIsTheFirstDimOverTheFirstAxis) {
  PlacementPlanner planner = planner_of(products(1, true), kShardsAndTensors);
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  ASSERT_TRUE(planner.pin_outputs({std::nullopt}));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(name_of(place_of(plan.nodes[find_node(planner.graph(), Role::input, 0)])), "S(0)R");
  EXPECT_EQ(name_of(place_of(plan.nodes[find_node(planner.graph(), Role::output, 0)])), "S(0)R");
  PlacementPlanner of_one_rank = planner_of(products(1, true), {{"dp_shard", 1}, {"tp", 2}});
  ASSERT_TRUE(of_one_rank.pin_inputs({std::nullopt}));
  EXPECT_EQ(name_of(of_one_rank.rules().pins.front().placements), "RR");
}

TEST(PlacementPlanner, A7StatesAllOrNone) {
  GraphBuilder builder;
  const int x = builder.input({4, 8}), y = builder.input({1});
  builder.output(builder.op("aten::add", {x, y}, {4, 8}, {"1"}));
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  EXPECT_EQ(planner.pin_inputs({std::nullopt, std::nullopt}).error().message,
            "placement of input 1: a value of [1] cannot be S(0) on (dp_shard=2)");
  EXPECT_TRUE(planner.rules().pins.empty());
  ASSERT_TRUE(planner.pin_outputs({Placements{shard(1)}}));
  EXPECT_EQ(planner.pin_outputs({Placements{shard(1)}}).error().message,
            "placement of output 0 is stated already; remove it first");
}

TEST(PlacementPlanner, A8NamesRulesThatCannotBeKeptTogether) {
  GraphBuilder builder;
  const int weight = builder.parameter({4, 4});
  builder.output(builder.op("aten::mm", {builder.input({4, 4}), weight}, {4, 4}));
  builder.gradient(weight, 0);
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  ASSERT_TRUE(planner.pin_inputs({std::nullopt}));
  ASSERT_TRUE(planner.pin(find_node(planner.graph(), Role::parameter, 0), {shard(0)}));
  ASSERT_TRUE(planner.pin(find_node(planner.graph(), Role::gradient_of_parameter, 0), {shard(1)}));
  EXPECT_EQ(planner.solve().error().message,
            "no placement keeps all of: placement of parameter 0, placement of gradient of parameter 0");
}

TEST(PlacementPlanner, A9WhatIsForbiddenIsNeverChosen) {
  // The product is a partial sum at no cost where its operands are sharded; nothing that is not linear may have it.
  GraphBuilder builder;
  const int product = builder.op("aten::mm", {builder.input({4, 8}), builder.input({8, 4})}, {4, 4});
  builder.output(builder.op("aten::silu", {product}, {4, 4}));
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  ASSERT_TRUE(planner.pin_inputs({Placements{shard(1)}, Placements{shard(0)}}));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_LT(plan.cost(), kForbidden);
  EXPECT_EQ(plan.cost(), ExhaustiveSearch(planner).least());
}

TEST(PlacementPlanner, A13AParameterMovesBehindACastToFewerBytes) {
  GraphBuilder builder;
  const int weight = builder.parameter({8, 8});
  const int cast = builder.op("aten::_to_copy", {weight}, {8, 8}, {"15"});
  builder.set_bytes(cast, 2);
  builder.output(builder.op("aten::silu", {cast}, {8, 8}));
  PlacementPlanner planner = PlacementPlanner::make(builder.graph(), kShards, h100(kShards)).value();
  ASSERT_TRUE(planner.pin(0, {shard(0)}));
  ASSERT_TRUE(planner.pin_outputs({Placements{replicate()}}));
  const PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(plan.nodes[1].sources, plan.nodes[1].operands) << "the cast takes the shard";
}

// Bytes decide.
Machine slow_machine() {
  return {.flops_per_us = {{2, 1e9}, {4, 1e9}},
          .memory_bytes_per_us = 1e9,
          .launch_us = 0,
          .links = {Link{.bytes_per_us = 3, .latency_us = 1}}};
}

// Where bytes are fewer before the cast, the parameter is gathered there; without a cast, wherever.
TEST(PlacementPlanner, A13AParameterMovesInTheDtypeOfFewerBytes) {
  const auto moved = [](int before, int after) {
    GraphBuilder builder;
    const int weight = builder.parameter({64, 64});
    const int cast = builder.op("aten::_to_copy", {weight}, {64, 64}, {"6"});
    builder.output(builder.op("aten::silu", {cast}, {64, 64}));
    builder.set_bytes(weight, before);
    for (const int each : {cast, cast + 1}) builder.set_bytes(each, after);
    PlacementPlanner planner = PlacementPlanner::make(builder.graph(), kShards, slow_machine()).value();
    EXPECT_TRUE(planner.pin(0, {shard(0)}));
    EXPECT_TRUE(planner.pin_outputs({Placements{replicate()}}));
    const PlacementPlan plan = planner.solve().value();
    return plan.nodes[1].sources != plan.nodes[1].operands ? "before the cast" : "behind it";
  };
  EXPECT_STREQ(moved(4, 2), "behind it");
  EXPECT_STREQ(moved(2, 4), "before the cast");
}

// Fewer bytes would be sent before it, and no cast takes a partial sum: so none reaches it. Where the narrow gradient goes out as well, the
// partial sum is summed for both.
TEST(PlacementPlanner, A13AGradientIsNotSummedBeforeACastToMoreBytes) {
  const auto out_of_product = [](bool goes_out_too) {
    GraphBuilder builder;
    builder.parameter({8, 8});
    const int x = builder.input({8, 1024}), tangent = builder.input({1024, 8});
    const int product = builder.op("aten::mm", {x, tangent}, {8, 8});
    for (const int value : {x, tangent, product}) builder.set_bytes(value, 2);
    builder.gradient(builder.op("aten::_to_copy", {product}, {8, 8}, {"6"}), 0);
    if (goes_out_too) builder.output(product);
    PlacementPlanner planner = PlacementPlanner::make(builder.graph(), kShards, slow_machine()).value();
    EXPECT_TRUE(planner.pin_inputs({Placements{shard(1)}, Placements{shard(0)}}));
    const PlacementPlan plan = planner.solve().value();
    const auto at = std::ranges::find(planner.graph().nodes, "aten::mm", &JointNode::op) - planner.graph().nodes.begin();
    const NodePlan& user = plan.nodes[users(planner.graph())[at].front()];
    return name_of(user.sources[0]) + " to " + name_of(user.operands[0]);
  };
  EXPECT_EQ(out_of_product(false), "P to P");
  EXPECT_EQ(out_of_product(true), "P to S(0)");
}

TEST(PlacementPlanner, A14RefusesAGraphThatTalksToOtherRanks) {
  GraphBuilder builder;
  builder.output(builder.op("_c10d_functional::all_reduce", {builder.input({4})}, {4}));
  EXPECT_THAT(PlacementPlanner::make(builder.graph(), kShards, h100(kShards)).error().message,
              HasSubstr("_c10d_functional::all_reduce"));
}

TEST(PlacementPlanner, A16NamesOperatorsThatRunReplicated) {
  GraphBuilder builder;
  builder.output(builder.op("aten::cumsum", {builder.input({4, 4})}, {4, 4}, {"0"}));
  const PlacementPlan plan = planner_of(builder.graph(), kShards).solve().value();
  EXPECT_EQ(plan.replicated_operators, std::vector<std::string>{"aten::cumsum"});
}

// Between operators that are best sharded: it takes the whole value, and a plan that hands it a piece is refused.
TEST(PlacementPlanner, A16AnOperatorWithoutARuleTakesWholeValues) {
  GraphBuilder builder;
  const int before = builder.op("aten::silu", {builder.input({64, 64})}, {64, 64});
  builder.output(builder.op("aten::silu", {builder.op("aten::cumsum", {before}, {64, 64}, {"0"})}, {64, 64}));
  PlacementPlanner planner = planner_of(builder.graph(), kShards);
  ASSERT_TRUE(planner.pin_inputs({Placements{shard(1)}}));
  ASSERT_TRUE(planner.pin_outputs({Placements{shard(1)}}));
  PlacementPlan plan = planner.solve().value();
  EXPECT_EQ(plan.cost(), ExhaustiveSearch(planner).least());
  const auto unknown = std::ranges::find(planner.graph().nodes, "aten::cumsum", &JointNode::op) - planner.graph().nodes.begin();
  EXPECT_EQ(plan.nodes[unknown].operands, (std::vector<Placements>{{replicate()}}));
  plan.nodes[unknown].operands = plan.nodes[unknown].results = {{shard(1)}};
  EXPECT_THAT(verify_plan(planner.graph(), planner.mesh(), planner.machine(), planner.rules(), plan).error().message,
              HasSubstr("aten::cumsum cannot run as S(1)->S(1)"));
}

TEST(PlacementPlanner, A16PlacesEveryGraphOfAModelWithExperts) {
  std::set<std::string> replicated;
  for (const GraphRecord& record : recorded_graphs("moe")) {
    const auto planner = PlacementPlanner::make(joint_graph_of(record).value(), kShards, h100(kShards));
    ASSERT_TRUE(planner) << record.module;
    const auto plan = planner->solve();
    ASSERT_TRUE(plan) << record.module << ": " << plan.error().message;
    replicated.insert(plan->replicated_operators.begin(), plan->replicated_operators.end());
  }
  EXPECT_THAT(replicated, ElementsAre("ordercheck::grouped_mm", "ordercheck::grouped_outer"));
}

TEST(PlacementPlanner, A22GivesTheSamePlanAgainAndOnRanksThatAreThreads) {
  const auto plan = [] {
    PlacementPlanner planner = PlacementPlanner::make(recorded_llama(), kShards, h100(kShards)).value();
    EXPECT_TRUE(planner.bound_parameter_memory(0, 0.8));
    return planner.solve().value().nodes;
  };
  const std::vector<NodePlan> first = plan();
  std::vector<std::vector<NodePlan>> plans(4);
  std::vector<std::thread> ranks;
  for (std::vector<NodePlan>& own : plans) ranks.emplace_back([&] { own = plan(); });
  for (std::thread& rank : ranks) rank.join();
  for (const std::vector<NodePlan>& own : plans) EXPECT_EQ(own, first);
}

}  // namespace
}  // namespace ordercheck::placing
