#include "graph/joint_graph.h"

#include <gmock/gmock.h>

#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JointGraph used_twice() {
  GraphBuilder builder;
  const int x = builder.input({4});
  builder.output(builder.op("aten::mul", {x, x}, {4}));
  builder.output(builder.op("aten::neg", {x}, {4}));
  return builder.graph();
}

std::string fault_of(const JointGraph& graph) {
  const Status checked = check_graph(graph);
  return checked ? "" : checked.error().message;
}

TEST(JointGraph, KnowsWhoMakesAndWhoTakes) {
  const JointGraph graph = used_twice();
  EXPECT_THAT(producers(graph), ElementsAre(0, 1, 3));
  EXPECT_THAT(users(graph)[0], ElementsAre(1, 1, 3));
  EXPECT_EQ(find_node(graph, Role::output, 1), 4);
  EXPECT_EQ(find_node(graph, Role::tangent, 0), -1);
  EXPECT_EQ(name_of(graph, 1), "%1 aten::mul");
  EXPECT_EQ(name_of(graph, 4), "output 1");
}

TEST(JointGraph, HasOneAliasBehindAValueOfSeveralOperands) {
  const JointGraph graph = with_aliases(used_twice());
  std::vector<std::string> ops;
  for (const JointNode& node : graph.nodes) ops.push_back(node.op);
  EXPECT_THAT(ops, ElementsAre("placeholder", "alias", "aten::mul", "output", "aten::neg", "output"));
  EXPECT_THAT(graph.nodes[2].operands, ElementsAre(3, 3));
  EXPECT_THAT(graph.nodes[4].operands, ElementsAre(3));
  EXPECT_EQ(fault_of(graph), "");
}

TEST(CheckGraph, RefusesWhatCannotBeRun) {
  JointGraph graph = used_twice();
  std::swap(graph.nodes[0], graph.nodes[1]);
  EXPECT_THAT(fault_of(graph), HasSubstr("takes %0, which no node before it makes"));
  graph = used_twice();
  graph.nodes[3].results = {1};
  EXPECT_THAT(fault_of(graph), HasSubstr("expected a value of the graph that is made once"));
  graph = used_twice();
  graph.nodes[3].results = {17};
  EXPECT_THAT(fault_of(graph), HasSubstr("makes %17"));
  graph = used_twice();
  graph.nodes[4].index = 0;
  EXPECT_THAT(fault_of(graph), HasSubstr("two nodes have the role output 0"));
  graph = used_twice();
  graph.nodes[4].operands = {0, 0};
  EXPECT_THAT(fault_of(graph), HasSubstr("expected one operand"));
}

TEST(CheckGraph, A14RefusesCollectives) {
  for (const char* op : {"_c10d_functional::all_gather_into_tensor", "c10d::allreduce_", "ordercheck::send"}) {
    JointGraph graph = used_twice();
    graph.nodes[1].op = op;
    EXPECT_THAT(fault_of(graph), HasSubstr(op));
  }
}

}  // namespace
}  // namespace ordercheck::placing
