#include "native/graph/passes.h"

#include <optional>

#include "native/graph/saved_tensors.h"
#include "native/graph/sharding_collectives.h"
#include "native/transform/recompute.h"
#include "unit/native/graph/both_ways.h"

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

// Two reads of a parameter that is gathered: a gather by each, and a gradient of each.
at::Tensor read_twice(const at::Tensor& x, const at::Tensor& piece, const std::optional<CheckpointPolicy>& policy) {
  const auto read = [&] {
    std::optional<UnshardScope> scope;
    if (policy) scope.emplace(*policy);
    return gather_from_group(piece, 0, "dp_shard");
  };
  return at::linear(at::linear(x, read()).sin(), read());
}

TEST(MergeEqualNodes, TwoReadsOfAParameterAreOneGather) {
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const at::Tensor piece = variable(numbers({1, 2}, rank.rank));
    const std::vector<std::optional<CheckpointPolicy>> policies{
        {}, CheckpointPolicy::must_save, CheckpointPolicy::must_recompute};
    for (const auto& policy : policies) {
      const Recorded computation = [&](const Tensors& in) { return read_twice(in[0], piece, policy); };
      const GraphPtr graph = graph_of(computation, {small_matrix(2)}, {piece});
      EXPECT_EQ(count(graph->forward, "_c10d_functional::all_gather_into_tensor"), 2);
      merge_equal_nodes(*graph);
      const int left = policy ? 1 : 2;
      EXPECT_EQ(count(graph->forward, "_c10d_functional::all_gather_into_tensor"), left) << print(*graph);
      EXPECT_EQ(count(graph->forward, "_c10d_functional::wait_tensor"), left) << print(*graph);
      EXPECT_EQ(count(graph->backward, "_c10d_functional::reduce_scatter_tensor"), 2) << "each gradient is sent";
      expect_equal_both_ways(computation, {small_matrix(2)}, {piece});
    }
  });
}

TEST(MergeEqualNodes, KeepsTheGathersOfTwoParametersApart) {
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const at::Tensor a = variable(numbers({1, 2}, rank.rank)), b = variable(numbers({1, 2}, rank.rank));
    const GraphPtr graph = graph_of(
        [&](const Tensors& in) {
          const UnshardScope scope(CheckpointPolicy::must_save);
          return at::linear(at::linear(in[0], gather_from_group(a, 0, "dp_shard")), gather_from_group(b, 0, "dp_shard"));
        },
        {small_matrix(2)}, {a, b});
    merge_equal_nodes(*graph);
    EXPECT_EQ(count(graph->forward, "_c10d_functional::all_gather_into_tensor"), 2) << print(*graph);
  });
}

// A checkpoint reads a parameter again: what must be saved is not gathered again for that, what must be recomputed is.
TEST(MergeEqualNodes, ARecomputedReadIsMergedWithTheFirstWhereThatOneIsSaved) {
  install_saved_tensor_hooks();
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const at::Tensor piece = variable(numbers({1, 2}, rank.rank));
    for (const CheckpointPolicy policy : {CheckpointPolicy::must_save, CheckpointPolicy::must_recompute}) {
      const Recorded computation = [&](const Tensors& in) {
        const auto region = [&](const Tensors& inside) {
          const at::Tensor whole = [&] {
            const UnshardScope scope(policy);
            return gather_from_group(piece, 0, "dp_shard");
          }();
          return at::linear(inside[0].exp(), whole).sin();
        };
        return recompute_in_backward(region, in, {});
      };
      const GraphPtr graph = graph_of(computation, {small_matrix(2)}, {piece});
      merge_equal_nodes(*graph);
      const int again = policy == CheckpointPolicy::must_save ? 0 : 1;
      EXPECT_EQ(count(graph->backward, "_c10d_functional::all_gather_into_tensor"), again) << print(*graph);
      EXPECT_GT(std::ranges::count_if(graph->backward, &Node::recomputed), 0);
      expect_equal_both_ways(computation, {small_matrix(2)}, {piece});
    }
  });
}

}  // namespace
}  // namespace ordercheck::ranks
