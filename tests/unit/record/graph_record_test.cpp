#include "record/graph_record.h"

#include <functional>

#include <gmock/gmock.h>

namespace ordercheck {
namespace {

using testing::HasSubstr;

// y = view(x)
GraphRecord sound_graph() {
  return {.module = "layers.0",
          .shapes = {{2}, {2}},
          .element_bytes = {8, 8},
          .view_of = {-1, 0},
          .inputs = {0},
          .outputs = {1},
          .nodes = {{.op = "aten::view", .arguments = "%0", .operands = {0}, .results = {1}}}};
}

std::string refused_graph(const std::function<void(GraphRecord&)>& tamper) {
  GraphRecord graph = sound_graph();
  tamper(graph);
  const Status checked = check_graph_record(graph);
  return checked ? "" : checked.error().message;
}

TEST(GraphRecord, ASoundOneIsTaken) {
  EXPECT_EQ(refused_graph([](GraphRecord&) {}), "");
}

TEST(GraphRecord, ListsOfAnotherLengthAreRefused) {
  EXPECT_THAT(refused_graph([](GraphRecord& graph) { graph.element_bytes.pop_back(); }),
              HasSubstr("2 shapes, 1 sizes of elements"));
  EXPECT_THAT(refused_graph([](GraphRecord& graph) { graph.view_of.push_back(-1); }), HasSubstr("3 views"));
}

TEST(GraphRecord, ANumberOfNoValueIsRefusedWhereverItStands) {
  for (const auto list : {&GraphRecord::inputs, &GraphRecord::parameters, &GraphRecord::saved, &GraphRecord::outputs,
                          &GraphRecord::tangents, &GraphRecord::gradients})
    for (const int value : {-1, 2})
      EXPECT_THAT(refused_graph([&](GraphRecord& graph) { (graph.*list).push_back(value); }),
                  HasSubstr("names one that is not among them"));
  EXPECT_NE(refused_graph([](GraphRecord& graph) { graph.nodes[0].operands = {2}; }), "");
  EXPECT_NE(refused_graph([](GraphRecord& graph) { graph.nodes[0].results = {2}; }), "");
}

TEST(GraphRecord, AValueThatNoMemoryHoldsIsRefused) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_THAT(refused_graph([&](GraphRecord& graph) { graph.shapes[1] = {large, large}; }),
              HasSubstr("a value, %1, of more than"));
  EXPECT_EQ(refused_graph([&](GraphRecord& graph) { graph.shapes[1] = {large}; }), "");
  EXPECT_EQ(refused_graph([&](GraphRecord& graph) { graph.shapes[1] = {0, large, large}; }), "");
}

TEST(GraphRecord, ViewsThatEndNowhereAreRefused) {
  EXPECT_NE(refused_graph([](GraphRecord& graph) { graph.view_of = {1, 0}; }), "");
  EXPECT_NE(refused_graph([](GraphRecord& graph) { graph.view_of = {0, -1}; }), "");
  EXPECT_NE(refused_graph([](GraphRecord& graph) { graph.view_of = {7, -1}; }), "");
}

}  // namespace
}  // namespace ordercheck
