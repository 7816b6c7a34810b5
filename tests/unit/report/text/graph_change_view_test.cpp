#include "report/text/graph_change_view.h"

#include <gmock/gmock.h>

#include "unit/graph/sample_graph.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

// exp, exp, exp, exp and neg: the third goes, the last comes first, and a cosine is put in behind the first.
GraphChange sample_change() {
  captured::SampleGraph sample;
  int last = sample.input(4);
  for (int i = 0; i < 4; ++i) last = sample.add("aten::exp", {last}, 4);
  sample.add("aten::neg", {0}, 4);
  GraphChange change{.before = sample.graph, .after = {}};
  change.before.passes = {"common"};
  sample.add("aten::cos", {1}, 4);
  change.after = sample.graph;
  change.after.passes = {"common", "partition", "dead_code"};
  auto& nodes = change.after.nodes;
  std::rotate(nodes.begin() + 1, nodes.begin() + 5, nodes.end());  // the cosine
  std::rotate(nodes.begin(), nodes.begin() + 5, nodes.end());      // the sign
  nodes.erase(nodes.begin() + 4);
  nodes.back().operands = {2};
  nodes.back().arguments = "%2";
  nodes.back().bucket = "layers.0";
  return change;
}

TEST(GraphChangeText, TellsWhatChangedAndCountsTheRest) {
  EXPECT_EQ(render_change_text(sample_change()),
            "what partition, dead_code changed of layers.0: 1 removed, 1 added, 1 moved, 1 handed something else, 2 as before\n"
            "forward\n"
            "> %5 [4] = aten::neg(%0)\n"
            "  ... 1 operator as before\n"
            "+ %6 [4] = aten::cos(%1)\n"
            "  ... 1 operator as before\n"
            "- %3 [4] = aten::exp(%2)\n"
            "~ %4 [4] = aten::exp(%2)  # bucket layers.0\n"
            "backward\n");
}

TEST(GraphChangeDot, DrawsWhatChangedInColoursAndItsNeighboursGrey) {
  const std::string dot = render_changes_dot({sample_change()}, "compile");
  EXPECT_THAT(dot, HasSubstr("label=\"layers.0: partition, dead_code\""));
  EXPECT_THAT(dot, HasSubstr("c0n0 [label=\"neg\", color=blue"));
  EXPECT_THAT(dot, HasSubstr("c0n1 [label=\"exp\", color=grey"));
  EXPECT_THAT(dot, HasSubstr("c0n2 [label=\"cos\", color=darkgreen"));
  EXPECT_THAT(dot, HasSubstr("c0n4 [label=\"exp\", color=red, style=dashed]"));
  EXPECT_THAT(dot, HasSubstr("c0n5 [label=\"exp of layers.0\", color=orange"));
  EXPECT_THAT(dot, HasSubstr("c0n3 -> c0n4;")) << "what is gone read what is still there";
  EXPECT_THAT(dot, HasSubstr("c0n1 -> c0n3 [color=grey];"));
}

TEST(GraphChangeDot, LeavesOutWhatNoChangeTouches) {
  captured::SampleGraph sample;
  int last = sample.input(4);
  for (int i = 0; i < 6; ++i) last = sample.add("aten::exp", {last}, 4);
  GraphChange change{.before = sample.graph, .after = sample.graph};
  change.after.nodes.pop_back();
  const std::string dot = render_changes_dot({change}, "compile");
  EXPECT_THAT(dot, HasSubstr("c0n4 ["));
  EXPECT_THAT(dot, HasSubstr("c0n5 ["));
  EXPECT_THAT(dot, Not(HasSubstr("c0n3 [")));
}

}  // namespace
}  // namespace ordercheck
