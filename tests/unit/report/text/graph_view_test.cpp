#include "report/text/graph_view.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "unit/graph/sample_graph.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

// y = mm(x, w); z = neg(y). Backward computes y again from what was saved.
GraphRecord sample() {
  return {
      .module = "layers.0",
      .shapes = {{2, 3}, {3, 4}, {2, 4}, {2, 4}, {2, 4}, {2, 4}, {2, 3}},
      .inputs = {0},
      .parameters = {1},
      .saved = {0, 1},
      .outputs = {3},
      .tangents = {4},
      .gradients = {6},
      .nodes = {
          {.op = "aten::mm", .backward = false, .recomputed = false, .arguments = "%0, %1", .operands = {0, 1}, .results = {2}},
          {.op = "aten::neg", .backward = false, .recomputed = false, .arguments = "%2, 2", .operands = {2}, .results = {3}},
          {.op = "aten::mm", .backward = true, .recomputed = true, .arguments = "%0, %1", .operands = {0, 1}, .results = {5}},
          {.op = "_c10d_functional::all_reduce",
           .backward = true,
           .recomputed = false,
           .arguments = "%4, %5",
           .operands = {4, 5},
           .results = {6}},
          {.op = "aten::_assert_async",
           .backward = true,
           .recomputed = false,
           .arguments = "%6",
           .operands = {6},
           .results = {}}}};
}

TEST(GraphText, SaysWhatRunsWhereAndWhatIsHandedOver) {
  EXPECT_EQ(render_graph_text(sample()),
            "graph of layers.0: 2 operators forward, 3 backward, 1 of them recomputed\n"
            "  inputs      %0\n"
            "  parameters  %1\n"
            "forward\n"
            "  %2 [2x4] = aten::mm(%0, %1)\n"
            "  %3 [2x4] = aten::neg(%2, 2)\n"
            "  output      %3\n"
            "  saved       %0, %1\n"
            "backward of %4\n"
            "  %5 [2x4] = aten::mm(%0, %1)  # recomputed\n"
            "  %6 [2x3] = _c10d_functional::all_reduce(%4, %5)\n"
            "  aten::_assert_async(%6)\n"
            "  gradients   %6\n");
}

TEST(GraphText, AGraphOfTheWholeModelIsCalledSo) {
  GraphRecord graph = sample();
  graph.module = "";
  EXPECT_THAT(render_graph_text(graph), HasSubstr("graph of the model:"));
}

TEST(GraphDot, DrawsWhatCrossesIntoBackwardThickAndWhatIsRecomputedShaded) {
  const std::string dot = render_graphs_dot({sample()}, "ac,compile");
  EXPECT_THAT(dot, HasSubstr("label=\"ac,compile\""));
  EXPECT_THAT(dot, HasSubstr("g0n2 [label=\"mm [2x4]\", style=filled, fillcolor=lightgrey]"));
  EXPECT_THAT(dot, HasSubstr("g0n3 [label=\"all_reduce [2x3]\", peripheries=2]"));
  EXPECT_THAT(dot, HasSubstr("g0v0 -> g0n2 [penwidth=3];"));
  EXPECT_THAT(dot, HasSubstr("g0v0 -> g0n0;"));
  EXPECT_THAT(dot, Not(HasSubstr("g0n0 -> g0n1 [penwidth=3]")));
}

TEST(GraphDot, TwoGraphsShareNoName) {
  const std::string dot = render_graphs_dot({sample(), sample()}, "compile");
  EXPECT_THAT(dot, HasSubstr("g1n0"));
  EXPECT_THAT(dot, HasSubstr("cluster_1_backward"));
}

// On the machine an operator takes 7 us, and a small gather over two ranks the 5 us of its message.
GraphRecord gathers(bool waits_late) {
  captured::SampleGraph sample;
  const int x = sample.input(1), begun = sample.start("all_gather_into_tensor", x, 2);
  if (!waits_late) sample.wait(begun);
  sample.add("aten::exp", {x}, 1);
  if (waits_late) sample.wait(begun);
  return sample.graph;
}

TEST(GraphCost, SaysWhatIsExposedOfWhatIsSent) {
  EXPECT_EQ(render_cost(gathers(false)),
            "on a stated machine  12.0 us, of which compute waits 5.0 us of the 5.0 us that collectives take; 16 bytes held at "
            "most\n");
}

TEST(GraphCost, OfAChangeTwice) {
  EXPECT_EQ(render_costs({.before = gathers(false), .after = gathers(true)}),
            "on a stated machine\n"
            "  before  12.0 us, of which compute waits 5.0 us of the 5.0 us that collectives take; 16 bytes held at most\n"
            "  after   7.0 us, of which compute waits 0.0 us of the 5.0 us that collectives take; 24 bytes held at most\n");
}

TEST(GraphCost, WithoutASpeedItSaysSo) {
  GraphRecord graph{.shapes = {{2, 2}, {2, 2}},
                    .element_bytes = {1, 1},
                    .view_of = {-1, -1},
                    .inputs = {0},
                    .nodes = {{.op = "aten::mm", .operands = {0, 0}, .results = {1}}}};
  EXPECT_EQ(render_cost(graph), "on a stated machine  the machine states no speed for products of elements of 1 bytes\n");
}

using nlohmann::json;

GraphRecord two_operators() {
  captured::SampleGraph sample;
  sample.add("aten::exp", {sample.input(4)}, 4);
  sample.add("aten::neg", {1}, 4);
  return sample.graph;
}

TEST(GraphJson, AGraphIsComparedWithNone) {
  const json answer =
      json::parse(render_graphs_json({two_operators()}, {.stack = "compile", .engine = "native", .versions = {"x 1"}}));
  EXPECT_EQ(answer["schema"], "ordercheck/graph/1");
  EXPECT_EQ(answer["stack"], "compile");
  EXPECT_EQ(answer["graphs"].size(), 1u);
  EXPECT_TRUE(answer["graphs"][0]["compared_with"].is_null());
  EXPECT_TRUE(answer["graphs"][0]["nodes"][1]["change"].is_null());
  EXPECT_EQ(answer["graphs"][0]["nodes"][1]["operands"], json({1}));
  EXPECT_EQ(answer["graphs"][0]["simulated"]["step_ns"], 14000) << "two launches";
}

TEST(GraphJson, AChangeSaysOfEachNodeWhatBecameOfIt) {
  GraphChange change{.before = two_operators(), .after = two_operators()};
  change.after.passes = {"dead_code"};
  change.after.nodes.pop_back();
  const json answer = json::parse(render_changes_json({change}, {.stack = "compile", .engine = "native", .versions = {}}));
  const json& graph = answer["graphs"][0];
  EXPECT_EQ(graph["compared_with"], json::array());
  EXPECT_EQ(graph["passes"], json({"dead_code"}));
  EXPECT_EQ(graph["nodes"][0]["change"], "same");
  EXPECT_EQ(graph["nodes"][1]["change"], "removed");
}

TEST(GraphJson, BytesThatAreNoTextStayJson) {
  GraphRecord graph = two_operators();
  graph.nodes[0].arguments = "\xff";
  EXPECT_TRUE(json::accept(render_graphs_json({graph}, {})));
}

}  // namespace
}  // namespace ordercheck
