// Tests of partition() in native/graph/passes.h.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "native/graph/sharding_collectives.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

at::Tensor matrix(int seed) { return variable(numbers({4, 4}, seed)); }

GraphPtr partitioned(const Recorded& computation, const Tensors& inputs, const Tensors& leaves = {}) {
  const GraphPtr graph = record("a region", computation, inputs, leaves);
  optimize(*graph);
  return graph;
}

// What backward reads of forward's when nothing is computed again, views counted as what they view.
std::int64_t bytes_of_saving_everything(const Graph& graph) {
  std::set<ValueId> parameters(graph.parameters.begin(), graph.parameters.end()), provided = parameters;
  for (const auto& [id, tensor] : graph.constants) provided.insert(id);
  std::map<ValueId, ValueId> viewed;
  std::set<ValueId> of_forward(graph.inputs.begin(), graph.inputs.end()), read;
  for (const Node& node : graph.forward) {
    for (const ValueId id : results(node)) {
      of_forward.insert(id);
      if (graph.values[id].is_view) viewed[id] = operands(node).front();
    }
  }
  const auto reads = [&](ValueId id) {
    while (viewed.count(id)) id = viewed.at(id);
    if (of_forward.count(id) && !provided.count(id)) read.insert(id);
  };
  for (const Node& node : graph.backward) {
    for (const ValueId id : operands(node)) reads(id);
  }
  for (const ValueId id : graph.gradients) reads(id);
  std::int64_t bytes = 0;
  for (const ValueId id : read) bytes += graph.values[id].bytes;
  return bytes;
}

TEST(Partition, HandsOverOneTensorOfAChainThatCanBeRunAgain) {
  const GraphPtr graph = partitioned([](const Tensors& in) { return in[0].exp().sin().exp().sin(); }, {matrix(0)});
  ASSERT_EQ(graph->saved.size(), 1u) << print(*graph);
  EXPECT_GT(std::ranges::count_if(graph->backward, &Node::recomputed), 0);
}

// Two ways to the same: keep the wide value, or the narrow one that it is made of.
TEST(Partition, KeepsTheSmallerOfTwo) {
  const at::Tensor narrow = variable(numbers({4, 1}, 0)), w = variable(numbers({4, 64}, 1));
  const GraphPtr graph = partitioned([w](const Tensors& in) { return in[0].exp().mul(w).sin(); }, {narrow}, {w});
  EXPECT_EQ(saved_bytes(*graph), 4 * 8) << print(*graph);
}

TEST(Partition, ParametersCostNothing) {
  const at::Tensor w = matrix(1);
  const GraphPtr graph = partitioned([w](const Tensors& in) { return in[0] + w.exp().sin(); }, {matrix(0)}, {w});
  EXPECT_EQ(saved_bytes(*graph), 0) << print(*graph);
  EXPECT_EQ(graph->saved, graph->parameters);
}

TEST(Partition, NeverRunsAContractionAgain) {
  const at::Tensor w = matrix(1);
  const GraphPtr graph = partitioned([w](const Tensors& in) { return in[0].mm(w).sigmoid().mm(w).exp(); }, {matrix(0)}, {w});
  for (const Node& node : graph->backward) {
    if (node.recomputed) EXPECT_NE(node.name(), "aten::mm");
  }
  EXPECT_EQ(count(graph->forward, "aten::mm") + count(graph->backward, "aten::mm"), 6);
}

TEST(Partition, NeverSendsAgain) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const GraphPtr graph =
        partitioned([](const Tensors& in) { return gather_from_group(in[0].exp(), 0, "tp").sin(); }, {matrix(rank.rank)});
    EXPECT_EQ(count(graph->forward, "_c10d_functional::all_gather_into_tensor"), 1);
    EXPECT_EQ(count(graph->backward, "_c10d_functional::all_gather_into_tensor"), 0);
    for (const ValueId id : graph->saved) {
      const auto maker = std::ranges::find_if(graph->forward, [id](const Node& node) {
        const auto made = results(node);
        return std::ranges::find(made, id) != made.end();
      });
      if (maker != graph->forward.end()) EXPECT_NE(maker->name(), "_c10d_functional::all_gather_into_tensor");
    }
  });
}

TEST(Partition, GuardsRunOnceAndInForward) {
  const GraphPtr graph = partitioned(
      [](const Tensors& in) {
        const at::Tensor y = in[0].exp();
        at::_assert_async(y.detach().sum().isfinite());
        return y.sin();
      },
      {matrix(0)});
  EXPECT_EQ(count(graph->forward, "aten::_assert_async"), 1);
  EXPECT_EQ(count(graph->backward, "aten::_assert_async"), 0);
}

TEST(Partition, SavesWhatAViewShowsNotTheView) {
  const GraphPtr graph =
      partitioned([](const Tensors& in) { return in[0].mm(in[1]).t().narrow(0, 0, 2).sin(); }, {matrix(0), matrix(1)});
  for (const ValueId id : graph->saved) EXPECT_FALSE(graph->values[id].is_view) << print(*graph);
}

// A program of elementwise operators, products, views and reductions over two inputs and two parameters.
struct Instruction {
  int op;
  std::size_t left, right;  // of the values so far, taken modulo their number
};
constexpr int kOperators = 10;

at::Tensor apply(int op, const at::Tensor& a, const at::Tensor& b) {
  switch (op) {
    case 0: return a * b;
    case 1: return a + b;
    case 2: return a.mm(b).tanh();
    case 3: return a.sigmoid();
    case 4: return a.t();
    case 5: return a.sin() * 3;
    case 6: return a.sum({1}, true).expand({4, 4});
    case 7: return at::cat({a.narrow(0, 0, 2), b.narrow(0, 2, 2)});
    case 8: return a.reshape({2, 8}).exp().div(8).reshape({4, 4}).tanh();
    default: return a - b.t();
  }
}

Recorded program(const std::vector<Instruction>& code, const Tensors& leaves) {
  return [code, leaves](const Tensors& in) {
    Tensors values = in;
    values.insert(values.end(), leaves.begin(), leaves.end());
    for (const auto& [op, left, right] : code) {
      values.push_back(apply(op, values[left % values.size()], values[right % values.size()]));
    }
    return values.back();
  };
}

RC_GTEST_PROP(Partition, ChangesNoBitAndHandsOverNoMore, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<Instruction> code;
  for (std::size_t i = 0; i < length; ++i) {
    code.push_back(
        {*rc::gen::inRange(0, kOperators), *rc::gen::inRange<std::size_t>(0, 16), *rc::gen::inRange<std::size_t>(0, 16)});
  }
  const Tensors inputs{variable(numbers({4, 4}, 0) * 0.1), variable(numbers({4, 4}, 1).t() * 0.1)};
  const Tensors leaves{variable(numbers({4, 4}, 2) * 0.1), variable(numbers({4, 4}, 3) * 0.1)};
  const Recorded computation = program(code, leaves);
  const Outcome eager = outcome_of(computation, inputs, leaves);

  const GraphPtr graph = record("a region", computation, inputs, leaves);
  save_everything(*graph);
  RC_ASSERT(same_outcome(eager, replayed(graph, inputs)));
  remove_dead_nodes(*graph);
  merge_equal_nodes(*graph);
  const std::int64_t everything = bytes_of_saving_everything(*graph);
  partition(*graph);
  remove_dead_nodes(*graph);
  RC_ASSERT(same_outcome(eager, replayed(graph, inputs)));
  RC_ASSERT(saved_bytes(*graph) <= everything);
  for (const Node& node : graph->backward) RC_ASSERT(!node.recomputed || node.name() != "aten::mm");
  for (const ValueId id : graph->saved) {
    RC_ASSERT(!graph->values[id].is_view);
    RC_ASSERT(std::ranges::count(graph->saved, id) == 1);
  }
}

at::Tensor gathered(const at::Tensor& piece, CheckpointPolicy policy) {
  const UnshardScope scope(policy);
  return gather_from_group(piece, 0, "dp_shard");
}

// What is gathered is read through a transpose, which is no way around the tag: a view keeps what it views.
TEST(Partition, ATagDecidesWhetherAParameterIsGatheredAgain) {
  const std::string gather = "_c10d_functional::all_gather_into_tensor", wait = "_c10d_functional::wait_tensor";
  complete(mesh_with({{"dp_shard", 2}}), [&](RankState& rank) {
    const at::Tensor piece = variable(numbers({2, 4}, rank.rank));
    const auto with = [&](CheckpointPolicy policy) {
      return partitioned([=](const Tensors& in) { return at::linear(in[0], gathered(piece, policy)).sin(); }, {matrix(2)},
                         {piece});
    };
    const GraphPtr again = with(CheckpointPolicy::must_recompute), kept = with(CheckpointPolicy::must_save);
    for (const GraphPtr& graph : {again, kept}) EXPECT_EQ(count(graph->forward, gather), 1);
    EXPECT_EQ(count(again->backward, gather), 1) << print(*again);
    EXPECT_EQ(count(kept->backward, gather), 0) << print(*kept);
    for (const Node& node : again->backward) EXPECT_TRUE(node.recomputed || node.name() != gather);
    EXPECT_EQ(saved_bytes(*kept) - saved_bytes(*again), 4 * 4 * 8) << print(*again) << print(*kept);
    for (const CheckpointPolicy policy : {CheckpointPolicy::must_recompute, CheckpointPolicy::must_save})
      expect_equal_both_ways([=](const Tensors& in) { return at::linear(in[0], gathered(piece, policy)).sin(); }, {matrix(2)},
                             {piece});
  });
}

// Ranks have rows of their own, as those of experts: what is a reduction on one, and never run again, is none on another. They must
// send alike all the same: were the product computed again where its weight's reader asks for it, its parameter would be gathered
// before that weight's gradient is sent.
TEST(Partition, RanksWithOtherSizesSendInTheSameOrder) {
  std::vector<std::vector<std::string>> sent(2);
  complete(mesh_with({{"dp_shard", 2}}), [&](RankState& rank) {
    const at::Tensor of_product = variable(numbers({1}, rank.rank)), of_weight = variable(numbers({2, 1}, rank.rank));
    const GraphPtr graph = partitioned(
        [&](const Tensors& in) {
          const at::Tensor product = in[0].mv(gathered(of_product, CheckpointPolicy::must_recompute));
          return at::linear(product.sin().unsqueeze(1), gathered(of_weight, CheckpointPolicy::must_recompute));
        },
        {variable(numbers({rank.rank * 3, 2}, 2))}, {of_product, of_weight});
    for (const Node& node : graph->backward) {
      if (!is_collective(node) || node.name() == "_c10d_functional::wait_tensor") continue;
      const auto place = std::ranges::find(graph->parameters, operands(node)[0]) - graph->parameters.begin();
      sent[static_cast<std::size_t>(rank.rank)].push_back(node.name() + (node.unshards ? " of " + std::to_string(place) : ""));
    }
  });
  EXPECT_EQ(sent[0], sent[1]);
  EXPECT_EQ(sent[0].size(), 4u) << "two gathers, two gradients";
}

}  // namespace
}  // namespace ordercheck::ranks
