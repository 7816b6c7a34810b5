#include "graph/strategy.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>

#include "unit/graph/dense.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/recorded_graph.h"

namespace ordercheck::placing {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

struct Sample {
  std::string op;
  std::vector<Shape> operands;
  Shape result;
  std::vector<std::string> constants;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> kSamples{
      {"aten::add", {{4, 6}, {4, 6}}, {4, 6}, {"1"}},
      {"aten::add", {{4, 6}}, {4, 6}, {"1e-05", "1"}},
      {"aten::add", {{4, 6}, {6}}, {4, 6}, {"1"}},
      {"aten::sub", {{8, 6}, {8, 1}}, {8, 6}, {"1"}},
      {"aten::mul", {{2, 4, 8}, {2, 4, 1}}, {2, 4, 8}, {}},
      {"aten::mul", {{5, 4}}, {5, 4}, {"3"}},
      {"aten::div", {{4, 4}, {4, 4}}, {4, 4}, {}},
      {"aten::neg", {{4, 4}}, {4, 4}, {}},
      {"aten::pow", {{4, 4}}, {4, 4}, {"2"}},
      {"aten::silu", {{4, 4}}, {4, 4}, {}},
      {"aten::silu_backward", {{4, 4}, {4, 4}}, {4, 4}, {}},
      {"aten::view", {{8, 4, 6}}, {32, 6}, {"[32, 6]"}},
      {"aten::view", {{32, 6}}, {8, 4, 6}, {"[8, 4, -1]"}},
      {"aten::view", {{8, 4, 6}}, {8, 4, 3, 2}, {"[8, 4, -1, 2]"}},
      {"aten::view", {{1, 1, 8}}, {8}, {"[8]"}},
      {"aten::view", {{4, 3}}, {3, 4}, {"[3, 4]"}},
      {"aten::_unsafe_view", {{12, 4}}, {3, 4, 4}, {"[3, 4, 4]"}},
      {"aten::t", {{4, 6}}, {6, 4}, {}},
      {"aten::transpose", {{4, 6, 8, 2}}, {4, 8, 6, 2}, {"1", "2"}},
      {"aten::unsqueeze", {{8, 4}}, {8, 1, 4}, {"1"}},
      {"aten::unsqueeze", {{8}}, {8, 1}, {"-1"}},
      {"aten::expand", {{4, 1}}, {4, 6}, {"[4, 6]", "False"}},
      {"aten::slice", {{4, 8}}, {4, 4}, {"-1", "2", "6", "1"}},
      {"aten::slice", {{8, 4}}, {8, 4}, {"0", "0", "8", "1"}},
      {"aten::slice_backward", {{4, 3}}, {4, 8}, {"[4, 8]", "-1", "2", "5", "1"}},
      {"aten::cat", {{4, 3}, {4, 3}}, {4, 6}, {"-1"}},
      {"aten::mm", {{4, 8}, {8, 6}}, {4, 6}, {}},
      {"aten::mm", {{5, 4}, {4, 3}}, {5, 3}, {}},
      {"aten::bmm", {{4, 2, 8}, {4, 8, 6}}, {4, 2, 6}, {}},
      {"aten::addmm", {{6}, {4, 8}, {8, 6}}, {4, 6}, {}},
      {"aten::sum", {{4, 8}}, {1, 8}, {"[0]", "True", "None"}},
      {"aten::sum", {{4, 8, 2}}, {4, 2}, {"[1]", "False", "None"}},
      {"aten::mean", {{4, 8}}, {4, 1}, {"[1]", "True", "None"}},
      {"aten::_softmax", {{4, 8}}, {4, 8}, {"-1", "False"}},
      {"aten::_safe_softmax", {{4, 8}}, {4, 8}, {"-1", "None"}},
      {"aten::embedding", {{3, 4}, {4, 2}}, {4, 2, 4}, {"-1", "False", "False"}},
      {"aten::embedding_dense_backward", {{4, 2, 4}, {4, 2}}, {3, 4}, {"3", "-1", "False"}},
  };
  return kSamples;
}

JointGraph graph_of(const Sample& sample) {
  GraphBuilder builder;
  std::vector<int> operands;
  for (const Shape& shape : sample.operands) operands.push_back(builder.input(shape));
  // A list of operands is one argument.
  JointGraph graph = (builder.op(sample.op, operands, sample.result, sample.constants), builder.graph());
  if (sample.op == "aten::cat") graph.nodes.back().arguments = {"[%0, %1]", "-1"};
  return graph;
}

int last(const JointGraph& graph) { return static_cast<int>(graph.nodes.size()) - 1; }

// Whole numbers that are also rows of a table of three.
std::vector<Dense> operands_of(const Sample& sample) {
  std::vector<Dense> made;
  for (const Shape& shape : sample.operands) {
    int count = static_cast<int>(made.size());
    made.push_back(filled(shape, [&](const Shape&) { return static_cast<double>((count += 5) * 7 % 3); }));
  }
  return made;
}

std::vector<std::string> names_of(const NodeStrategies& strategies) {
  std::vector<std::string> names;
  for (const Strategy& each : strategies.choices) names.push_back(name_of(each));
  return names;
}

// Ranks compute from what the strategy gives them; put together as it says, that is the whole result.
bool holds(const Sample& sample, const JointNode& node, const Strategy& strategy, const DeviceMesh& mesh) {
  const std::vector<Dense> whole = operands_of(sample);
  std::vector<std::vector<Dense>> held;
  for (std::size_t at = 0; at < whole.size(); ++at) held.push_back(cut(whole[at], strategy.operands[at], mesh));
  const std::vector<Dense> shapes = cut(filled(sample.result, [](const Shape&) { return 0.0; }), strategy.results[0], mesh);
  std::vector<Dense> results;
  for (std::size_t rank = 0; rank < shapes.size(); ++rank) {
    std::vector<Dense> own;
    for (const std::vector<Dense>& each : held) own.push_back(each[rank]);
    results.push_back(run_dense(node, own, shapes[rank].shape).value());
    if (results.back().values.size() != static_cast<std::size_t>(element_count(shapes[rank].shape))) return false;
  }
  return joined(results, strategy.results[0], mesh) == run_dense(node, whole, sample.result);
}

TEST(Strategies, A15RanksThatFollowOneComputeTheWholeResult) {
  for (const DeviceMesh& mesh : {DeviceMesh{{"tp", 2}}, DeviceMesh{{"tp", 3}}, DeviceMesh{{"dp_shard", 2}, {"tp", 2}},
                                 DeviceMesh{{"dp_shard", 1}, {"tp", 4}}}) {
    for (const Sample& sample : samples()) {
      const JointGraph graph = graph_of(sample);
      const NodeStrategies strategies = strategies_of(graph, last(graph), mesh);
      EXPECT_TRUE(strategies.is_known) << sample.op;
      EXPECT_FALSE(strategies.choices.empty()) << sample.op;
      for (const Strategy& each : strategies.choices)
        EXPECT_TRUE(holds(sample, graph.nodes.back(), each, mesh)) << sample.op << " as " << name_of(each);
    }
  }
}

// The same check against what no family offers: the oracle can tell.
TEST(Strategies, A15OthersDoNotComputeIt) {
  const DeviceMesh mesh{{"tp", 2}};
  struct Wrong {
    std::string op;
    std::vector<Placement> operands;
    Placement result;
  };
  for (const Wrong& wrong :
       {Wrong{"aten::pow", {partial()}, partial()}, Wrong{"aten::mm", {shard(1), shard(0)}, replicate()},
        Wrong{"aten::mean", {shard(1)}, partial()}, Wrong{"aten::_softmax", {shard(1)}, shard(1)},
        Wrong{"aten::cat", {shard(1), shard(1)}, shard(1)}, Wrong{"aten::mul", {partial(), partial()}, partial()}}) {
    const auto sample = std::ranges::find_if(
        samples(), [&](const Sample& each) { return each.op == wrong.op && each.operands.size() == wrong.operands.size(); });
    ASSERT_NE(sample, samples().end());
    Strategy strategy{.operands = {}, .results = {{wrong.result}}};
    for (const Placement& each : wrong.operands) strategy.operands.push_back({each});
    const JointGraph graph = graph_of(*sample);
    EXPECT_FALSE(holds(*sample, graph.nodes.back(), strategy, mesh)) << wrong.op;
    EXPECT_THAT(strategies_of(graph, last(graph), mesh).choices, Not(Contains(strategy))) << wrong.op;
  }
}

TEST(Strategies, OfAProductOnOneAxis) {
  const JointGraph graph = graph_of({"aten::mm", {{4, 8}, {8, 6}}, {4, 6}, {}});
  EXPECT_THAT(names_of(strategies_of(graph, 2, {{"tp", 2}})),
              ElementsAre("R,R->R", "R,S(1)->S(1)", "S(0),R->S(0)", "S(1),S(0)->P"));
}

TEST(Strategies, A11LeaveNoRankEmpty) {
  const JointGraph graph = graph_of({"aten::neg", {{5, 8}}, {5, 8}, {}});
  EXPECT_THAT(names_of(strategies_of(graph, 1, {{"tp", 4}})), ElementsAre("P->P", "R->R", "S(1)->S(1)"));
  EXPECT_THAT(names_of(strategies_of(graph, 1, {{"tp", 3}})), ElementsAre("P->P", "R->R", "S(0)->S(0)", "S(1)->S(1)"));
}

TEST(Strategies, A10APartialSumReachesNoOperatorThatIsNotLinear) {
  for (const char* op : {"aten::pow", "aten::silu", "aten::rsqrt", "aten::exp"}) {
    const JointGraph graph = graph_of({op, {{4, 4}}, {4, 4}, {}});
    for (const Strategy& each : strategies_of(graph, 1, {{"dp_shard", 2}, {"tp", 2}}).choices)
      EXPECT_FALSE(has_partial(each.operands[0])) << op;
  }
  const JointGraph constant = graph_of({"aten::add", {{4, 4}}, {4, 4}, {"1"}});
  for (const Strategy& each : strategies_of(constant, 1, {{"tp", 2}}).choices) EXPECT_FALSE(has_partial(each.operands[0]));
}

TEST(Strategies, A16AnUnknownOperatorRunsReplicated) {
  const JointGraph graph = graph_of({"aten::cumsum", {{4, 4}}, {4, 4}, {"0"}});
  const NodeStrategies strategies = strategies_of(graph, 1, {{"tp", 2}});
  EXPECT_FALSE(strategies.is_known);
  EXPECT_THAT(names_of(strategies), ElementsAre("R->R"));
}

TEST(Strategies, A16KnowAllOfTheRecordedLlama) {
  const JointGraph graph = recorded_llama();
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node)
    EXPECT_TRUE(strategies_of(graph, node, {{"tp", 2}}).is_known) << name_of(graph, node);
}

TEST(Strategies, A15AttentionSplitsHeadsInWholeGroupsOnly) {
  GraphBuilder builder;
  const int q = builder.input({2, 6, 8, 4}), k = builder.input({2, 3, 8, 4}), v = builder.input({2, 3, 8, 4});
  builder.op("aten::_scaled_dot_product_flash_attention_for_cpu", {q, k, v}, {2, 6, 8, 4}, {"0.", "True", "None", "None"});
  EXPECT_THAT(names_of(strategies_of(builder.graph(), 3, {{"tp", 2}})), ElementsAre("R,R,R->R", "S(0),S(0),S(0)->S(0)"));
  EXPECT_THAT(names_of(strategies_of(builder.graph(), 3, {{"tp", 3}})), ElementsAre("R,R,R->R", "S(1),S(1),S(1)->S(1)"));
}

TEST(Strategies, A17AnAxisOfOneRankOffersNothing) {
  const JointGraph graph = graph_of({"aten::mm", {{4, 8}, {8, 6}}, {4, 6}, {}});
  EXPECT_THAT(names_of(strategies_of(graph, 2, {{"dp_replicate", 1}})), ElementsAre("R,R->R"));
}

TEST(Strategies, A23GrowWithDimsAndAxesAsSaid) {
  GraphBuilder builder;
  builder.input({8, 8, 8});
  EXPECT_EQ(strategies_of(builder.graph(), 0, {{"tp", 2}}).choices.size(), 4u);
  EXPECT_EQ(strategies_of(builder.graph(), 0, {{"dp_shard", 2}, {"tp", 2}}).choices.size(), 16u);
  EXPECT_EQ(strategies_of(builder.graph(), 0, {{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}}).choices.size(), 64u);
}

std::vector<std::string> names_of_choices(const GraphBuilder& builder, const DeviceMesh& mesh) {
  std::vector<std::string> names;
  const int last = static_cast<int>(builder.graph().nodes.size()) - 1;
  for (const Strategy& each : strategies_of(builder.graph(), last, mesh).choices) names.push_back(name_of(each));
  return names;
}

// The keys of a cache that is empty yet, and new ones.
TEST(Strategies, OfACatLeaveAnEmptyTensorWhole) {
  GraphBuilder builder;
  const int none = builder.input({0}), keys = builder.input({4, 6});
  JointGraph graph = builder.graph();
  graph.values.push_back({.shape = {4, 6}});
  graph.nodes.push_back({.op = "aten::cat", .arguments = {"[%0, %1]", "1"}, .operands = {none, keys}, .results = {2}});
  std::vector<std::string> names;
  for (const Strategy& each : strategies_of(graph, 2, {{"dp_shard", 2}}).choices) names.push_back(name_of(each));
  EXPECT_THAT(names, ElementsAre("R,P->P", "R,R->R", "R,S(0)->S(0)"));
}

// Ranks sum a gradient in the wider dtype, so a partial sum passes the cast to it, and none passes a cast to fewer bytes.
TEST(Strategies, OfACastKeepAPartialSumOnlyToMoreBytes) {
  for (const auto& [from, to, keeps] : {std::tuple(2, 4, true), std::tuple(4, 2, false), std::tuple(4, 4, false)}) {
    GraphBuilder builder;
    const int x = builder.input({4, 6});
    const int cast = builder.op("aten::_to_copy", {x}, {4, 6}, {"6"});
    builder.set_bytes(x, from);
    builder.set_bytes(cast, to);
    EXPECT_EQ(std::ranges::count(names_of_choices(builder, {{"dp_shard", 2}}), "P->P"), keeps ? 1 : 0) << from << to;
  }
}

// A mask of [queries, keys] is whole on every rank; one with samples is split with them.
TEST(Strategies, OfAttentionSplitAMaskWithTheSamples) {
  for (const auto& [mask, name] : {std::pair(Shape{6, 6}, "S(0),S(0),S(0),R->S(0),S(0)"),
                                   std::pair(Shape{4, 1, 6, 6}, "S(0),S(0),S(0),S(0)->S(0),S(0)")}) {
    GraphBuilder builder;
    const int q = builder.input({4, 2, 6, 8}), k = builder.input({4, 2, 6, 8}), v = builder.input({4, 2, 6, 8});
    builder.ops("aten::_scaled_dot_product_flash_attention_for_cpu", {q, k, v, builder.input(mask)}, {{4, 2, 6, 8}, {4, 2, 6}});
    EXPECT_THAT(names_of_choices(builder, {{"dp_shard", 2}}), Contains(name));
  }
}

}  // namespace
}  // namespace ordercheck::placing
