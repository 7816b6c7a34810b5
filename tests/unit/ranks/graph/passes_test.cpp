#include "ranks/graph/passes.h"

#include "ranks/graph/saved_tensors.h"
#include "ranks/mechanism/recompute.h"
#include "unit/ranks/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

at::Tensor small_matrix(int seed) { return variable(numbers({2, 2}, seed)); }

GraphPtr graph_of(const Recorded& computation, const Tensors& inputs, const Tensors& leaves = {}) {
  return record("a region", computation, inputs, leaves);
}

TEST(RemoveDeadNodes, RemovesWhatNobodyReads) {
  const GraphPtr graph = graph_of(
      [](const Tensors& in) {
        in[0].cos().tan();
        return in[0].exp();
      },
      {small_matrix(0)});
  ASSERT_EQ(count(graph->forward, "aten::tan"), 1);
  remove_dead_nodes(*graph);
  EXPECT_EQ(count(graph->forward, "aten::tan"), 0);
  EXPECT_EQ(count(graph->forward, "aten::cos"), 0);
  EXPECT_EQ(count(graph->forward, "aten::exp"), 1);
}

TEST(RemoveDeadNodes, KeepsWhatOnlyBackwardReads) {
  const GraphPtr graph = graph_of([](const Tensors& in) { return in[0] * in[0].detach().cos(); }, {small_matrix(0)});
  remove_dead_nodes(*graph);
  EXPECT_EQ(count(graph->forward, "aten::cos"), 1);
}

TEST(RemoveDeadNodes, KeepsGuardsAndCollectivesWithWhatTheyRead) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const GraphPtr graph = graph_of(
        [](const Tensors& in) {
          at::_assert_async(in[0].detach().exp().sum().isfinite());
          all_reduce(in[0].detach().cos(), "tp");
          return in[0].sin();
        },
        {small_matrix(rank.rank)});
    remove_dead_nodes(*graph);
    for (const char* name :
         {"aten::_assert_async", "aten::exp", "_c10d_functional::all_reduce", "_c10d_functional::wait_tensor", "aten::cos"}) {
      EXPECT_EQ(count(graph->forward, name), 1) << name;
    }
  });
}

TEST(MergeEqualNodes, ComputesOnceWhatIsTheSame) {
  const Recorded computation = [](const Tensors& in) { return in[0].exp() * in[1] + in[0].exp(); };
  const GraphPtr graph = graph_of(computation, {small_matrix(0), small_matrix(1)});
  merge_equal_nodes(*graph);
  EXPECT_EQ(count(graph->forward, "aten::exp"), 1);
  expect_equal_both_ways(computation, {small_matrix(0), small_matrix(1)}, {});
}

TEST(MergeEqualNodes, BackwardUsesWhatForwardComputed) {
  const at::Tensor w = small_matrix(1);
  const GraphPtr graph = graph_of([w](const Tensors& in) { return in[0].mm(w.t()).mm(w.t()); }, {small_matrix(0)}, {w});
  const int before = count(graph->forward, "aten::t") + count(graph->backward, "aten::t");
  merge_equal_nodes(*graph);
  EXPECT_EQ(count(graph->forward, "aten::t"), 1);
  EXPECT_LT(count(graph->forward, "aten::t") + count(graph->backward, "aten::t"), before);
}

TEST(MergeEqualNodes, KeepsOtherOperandsAndOtherConstantsApart) {
  const Recorded computation = [](const Tensors& in) {
    return in[0].mul(2) + in[0].mul(3) + in[1].mul(2) + in[0].sum({0}, true) + in[0].sum({1}, true) +
           in[0].sum({0}, true, at::kDouble);
  };
  const GraphPtr graph = graph_of(computation, {small_matrix(0), small_matrix(1)});
  const int products = count(graph->forward, "aten::mul"), sums = count(graph->forward, "aten::sum");
  merge_equal_nodes(*graph);
  EXPECT_EQ(count(graph->forward, "aten::mul"), products);
  EXPECT_EQ(count(graph->forward, "aten::sum"), sums) << "another dim, another dtype argument";
  expect_equal_both_ways(computation, {small_matrix(0), small_matrix(1)}, {});
}

// They compare equal, and give other bits.
TEST(MergeEqualNodes, KeepsThePositiveAndTheNegativeZeroApart) {
  expect_equal_both_ways([](const Tensors& in) { return at::cat({in[0].mul(0.0), in[0].mul(-0.0)}); }, {small_matrix(0)}, {});
  const GraphPtr graph =
      graph_of([](const Tensors& in) { return at::cat({in[0].mul(0.0), in[0].mul(-0.0)}); }, {small_matrix(0)});
  merge_equal_nodes(*graph);
  EXPECT_EQ(count(graph->forward, "aten::mul"), 2);
}

TEST(MergeEqualNodes, LeavesWhatHasAnEffect) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const GraphPtr graph = graph_of(
        [](const Tensors& in) {
          const at::Tensor x = in[0].detach();
          for (int i = 0; i < 2; ++i) at::_assert_async(x.sum().isfinite());
          return all_reduce(x, "tp") + all_reduce(x, "tp");
        },
        {small_matrix(rank.rank)});
    merge_equal_nodes(*graph);
    EXPECT_EQ(count(graph->forward, "aten::_assert_async"), 2);
    EXPECT_EQ(count(graph->forward, "_c10d_functional::all_reduce"), 2);
  });
}

// What a checkpoint runs again would be kept for backward if it were merged with its original.
TEST(MergeEqualNodes, NeverMergesARecomputedNodeWithItsOriginal) {
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const Recorded checkpointed = [](const Tensors& in) {
    return recompute_in_backward([](const Tensors& inner) { return inner[0].exp().sin().exp(); }, in, {});
  };
  const GraphPtr graph = graph_of(checkpointed, {small_matrix(0)});
  const auto recomputed = [&] { return std::ranges::count_if(graph->backward, &Node::recomputed); };
  ASSERT_GT(recomputed(), 0);
  const int again = count(graph->backward, "aten::exp");
  merge_equal_nodes(*graph);
  EXPECT_EQ(count(graph->backward, "aten::exp"), again);
  partition(*graph);
  remove_dead_nodes(*graph);
  EXPECT_EQ(graph->saved, graph->inputs);
  EXPECT_GT(recomputed(), 0);
}

}  // namespace
}  // namespace ordercheck::ranks
