#include "report/text/graph_json.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "unit/captured/sample_graph.h"

namespace ordercheck {
namespace {

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
