#include "report/text/graph_cost_view.h"

#include <gmock/gmock.h>

#include "unit/captured/sample_graph.h"

namespace ordercheck {
namespace {

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
            "  behind  7.0 us, of which compute waits 0.0 us of the 5.0 us that collectives take; 24 bytes held at most\n");
}

TEST(GraphCost, WithoutASpeedItSaysSo) {
  GraphRecord graph{.shapes = {{2, 2}, {2, 2}},
                    .element_bytes = {1, 1},
                    .view_of = {-1, -1},
                    .inputs = {0},
                    .nodes = {{.op = "aten::mm", .operands = {0, 0}, .results = {1}}}};
  EXPECT_EQ(render_cost(graph), "on a stated machine  the machine states no speed for products of elements of 1 bytes\n");
}

}  // namespace
}  // namespace ordercheck
