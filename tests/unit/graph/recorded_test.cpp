#include "graph/recorded.h"

#include <gmock/gmock.h>

#include "unit/graph/recorded_graph.h"

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SplitArguments, KeepsListsWhole) {
  EXPECT_THAT(split_arguments("%1, [2, -1], None, [%3, %4], 1e-05"), ElementsAre("%1", "[2, -1]", "None", "[%3, %4]", "1e-05"));
  EXPECT_TRUE(split_arguments("").empty());
}

TEST(RecordedGraph, OfALlamaIsAJointGraph) {
  const JointGraph graph = recorded_llama();
  int parameters = 0, gradients = 0;
  for (const JointNode& node : graph.nodes) {
    parameters += node.role == Role::parameter ? 1 : 0;
    gradients += node.role == Role::gradient_of_parameter ? 1 : 0;
  }
  EXPECT_EQ(parameters, 21);
  EXPECT_EQ(gradients, 21);
  for (int index = 0; index < parameters; ++index) {
    const JointNode& parameter = graph.nodes[find_node(graph, Role::parameter, index)];
    const JointNode& gradient = graph.nodes[find_node(graph, Role::gradient_of_parameter, index)];
    EXPECT_EQ(graph.values[parameter.results[0]].shape, graph.values[gradient.operands[0]].shape) << index;
  }
  EXPECT_FALSE(graph.nodes[find_node(graph, Role::output, 0)].backward);
  EXPECT_TRUE(graph.nodes[find_node(graph, Role::tangent, 0)].backward);
}

TEST(RecordedGraph, EveryOneOfAModelWithExpertsIsAJointGraph) {
  const std::vector<GraphRecord> graphs = recorded_graphs("moe");
  EXPECT_EQ(graphs.size(), 15u);
  for (const GraphRecord& each : graphs) {
    const auto graph = joint_graph_of(each);
    EXPECT_TRUE(graph) << each.module << ": " << (graph ? "" : graph.error().message);
  }
}

TEST(RecordedGraph, WhoseGradientsAreNotKnownIsRefused) {
  GraphRecord record = recorded_graphs("llama").front();
  record.gradients.pop_back();
  const auto graph = joint_graph_of(record);
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message,
              HasSubstr("20 gradients for 2 inputs and 21 parameters, and shapes do not tell them apart"));
  // Of two inputs of one shape, one has a gradient.
  GraphRecord two{.shapes = {{4}, {4}, {4}, {4}},
                  .element_bytes = {8, 8, 8, 8},
                  .view_of = {-1, -1, -1, -1},
                  .inputs = {0, 1},
                  .outputs = {2},
                  .gradients = {3}};
  two.nodes = {{.op = "aten::add", .arguments = "%0, %1", .operands = {0, 1}, .results = {2}},
               {.op = "aten::neg", .backward = true, .arguments = "%0", .operands = {0}, .results = {3}}};
  EXPECT_FALSE(joint_graph_of(two));
  two.shapes[1] = {1};
  EXPECT_TRUE(joint_graph_of(two));
}

TEST(RecordedGraph, ThatReadsWhatNobodyMakesIsRefused) {
  GraphRecord record = recorded_graphs("llama").front();
  record.nodes.erase(record.nodes.begin());
  EXPECT_FALSE(joint_graph_of(record));
  record = recorded_graphs("llama").front();
  record.nodes[3].operands = {100000};
  EXPECT_FALSE(joint_graph_of(record));
  record = recorded_graphs("llama").front();
  record.outputs = {100000};
  EXPECT_FALSE(joint_graph_of(record));
}

}  // namespace
}  // namespace ordercheck::placing
