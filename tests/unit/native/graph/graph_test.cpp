#include "native/graph/graph.h"

#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Graph, OperandsAndResultsLeaveOutWhatIsNotThere) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::exp", "");
  const Node node{.op = op,
                  .arguments = {{.form = Argument::Form::tensors, .values = {4, kNoValue, 7}, .constant = {}},
                                {.form = Argument::Form::constant, .values = {}, .constant = 2}},
                  .results = {{.is_list = true, .values = {kNoValue, 9}}}};
  EXPECT_THAT(operands(node), ElementsAre(4, 7));
  EXPECT_THAT(results(node), ElementsAre(9));
}

TEST(Graph, CollectivesAndWhatReturnsNothingHaveAnEffectAndNothingElse) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const at::Tensor x = variable(numbers({2, 2}, rank.rank));
    const GraphPtr graph = record("a region",
                                  [](const auto& in) {
                                    at::_assert_async(in[0].detach().sum().isfinite());
                                    return copy_to_group(in[0], "tp").exp();
                                  },
                                  {x}, {});
    int assertions = 0, collectives = 0;
    for (const auto* nodes : {&graph->forward, &graph->backward}) {
      for (const Node& node : *nodes) {
        assertions += has_effect(node) && !is_collective(node);
        collectives += is_collective(node);
        EXPECT_EQ(has_effect(node), !node.name().starts_with("aten::") || node.name() == "aten::_assert_async") << node.name();
      }
    }
    EXPECT_EQ(assertions, 1);
    EXPECT_EQ(collectives, 2) << "the all-reduce and its wait, in backward";
  });
}

TEST(Graph, ARecordTellsOfACollectiveItsGroupAndOfAViewWhatItShows) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const at::Tensor x = variable(numbers({2, 2}, rank.rank));
    const GraphPtr graph =
        record("a region", [](const auto& in) { return reduce_from_group(in[0].view({4}), "tp").exp(); }, {x}, {});
    graph->passes = {"common"};
    const GraphRecord described = describe(*graph);
    EXPECT_THAT(described.passes, ElementsAre("common"));
    EXPECT_TRUE(check_graph_record(described));
    int collectives = 0, views = 0;
    for (const GraphNodeRecord& node : described.nodes) {
      const bool starts = node.op == "_c10d_functional::all_reduce";
      collectives += starts;
      EXPECT_EQ(node.group, starts ? "tp" : "") << node.op;
      EXPECT_EQ(node.ranks, starts ? 2 : 0) << node.op;
      if (node.op != "aten::view") continue;
      ++views;
      EXPECT_EQ(described.view_of[static_cast<std::size_t>(node.results[0])], node.operands[0]);
    }
    EXPECT_EQ(collectives, 1);
    EXPECT_GE(views, 1);
  });
}

TEST(Graph, IsDescribedForARecord) {
  const at::Tensor x = variable(numbers({2, 2}, 0)), w = variable(numbers({2, 2}, 1));
  const GraphPtr graph = record("layers.0", [w](const auto& in) { return in[0].mul(2).mm(w); }, {x}, {w});
  const GraphRecord described = describe(*graph);
  EXPECT_EQ(described.module, "layers.0");
  EXPECT_THAT(described.parameters, testing::ElementsAre(0));
  EXPECT_THAT(described.inputs, testing::ElementsAre(1));
  EXPECT_EQ(described.gradients.size(), 2u);
  EXPECT_EQ(described.shapes.size(), graph->values.size());
  EXPECT_EQ(described.nodes.front().op, "aten::mul");
  EXPECT_EQ(described.nodes.front().arguments, "%1, 2");
  EXPECT_THAT(described.nodes.front().operands, testing::ElementsAre(1));
  EXPECT_EQ(described.element_bytes.front(), 8);
  EXPECT_THAT(described.view_of, testing::Contains(-1));
  partition(*graph);
  EXPECT_THAT(print(*graph), HasSubstr("backward aten::mul(%1, 2)  # recomputed\n"))
      << "x is kept anyway, its double need not be";
}

}  // namespace
}  // namespace ordercheck::ranks
