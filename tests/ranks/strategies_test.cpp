// Every way in which an operator is said to run on a mesh axis is right: on pieces of its operands it gives pieces of its results, bit for
// bit, for every operator of a llama's forward and backward. A plan is made of such ways, so no plan can be wrong by them.
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "graph/recorded.h"
#include "graph/strategy.h"
#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/arith/same_bits.h"
#include "native/graph/passes.h"
#include "native/graph/recorder.h"
#include "native/module/llama.h"
#include "native/train/batch.h"
#include "native/transform/redistribution.h"
#include "ranks/on_case.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {
namespace {

using Kind = placing::Placement::Kind;

// In plain float64: the engine's own kernels put sums on their grid.
at::Tensor combined(const at::Tensor& a, double by, const at::Tensor& b) {
  if (a.scalar_type() != at::kDouble) return a * static_cast<int64_t>(by) + b;
  at::Tensor left = a.contiguous().clone();
  const at::Tensor right = b.contiguous();
  auto* to = left.mutable_data_ptr<double>();
  for (int64_t at = 0; at < left.numel(); ++at) to[at] = by * to[at] + right.const_data_ptr<double>()[at];
  return left;
}

// Summands that the last one makes the whole with: all on the engine's grid where the whole is.
at::Tensor summand(const at::Tensor& like, int rank) {
  const at::Tensor numbers = at::remainder(at::arange(rank, rank + like.numel(), at::kLong), 5).sub(2).reshape(like.sizes());
  return like.scalar_type() == at::kDouble ? numbers.to(at::kDouble).div(64) : numbers.to(like.scalar_type());
}

// Of one mesh axis.
at::Tensor piece_of(const at::Tensor& whole, const placing::Placement& placement, int ranks, int rank) {
  if (placement.kind == Kind::replicate) return whole;
  if (placement.kind == Kind::partial) {
    if (rank + 1 < ranks) return summand(whole, rank);
    at::Tensor rest = whole;
    for (int other = 0; other + 1 < ranks; ++other) rest = combined(summand(whole, other), -1, rest);
    return rest;
  }
  const Span mine = chunk_of(whole.size(placement.dim), ranks, rank);
  return whole.narrow(placement.dim, mine.start, mine.length);
}

at::Tensor assembled(const std::vector<at::Tensor>& pieces, const placing::Placement& placement) {
  if (placement.kind == Kind::shard) return at::cat(pieces, placement.dim);
  at::Tensor sum = pieces.front();
  for (std::size_t at = 1; at < pieces.size() && placement.kind == Kind::partial; ++at) sum = combined(sum, 1, pieces[at]);
  return sum;
}

placing::Shape sizes_of(const at::Tensor& whole, const placing::Placement& placement, int ranks, int rank) {
  placing::Shape sizes = whole.sizes().vec();
  if (placement.kind == Kind::shard)
    sizes[static_cast<std::size_t>(placement.dim)] = chunk_of(whole.size(placement.dim), ranks, rank).length;
  return sizes;
}

// A llama's trace, and every value of one run of it.
struct TracedRun {
  GraphPtr graph;
  std::vector<at::Tensor> values;
  std::vector<const Node*> nodes;

  TracedRun() {
    at::set_num_threads(1);
    install_exact_kernels();
    set_exact_grid(Settings().grid);
    const ModulePtr model = make_llama(kUsualModel, {});
    const Batch batch = batch_of(1, 0, {}, 0, 0, 2);
    Tensors leaves;
    for (const NamedParameter& named : parameters_of(model)) leaves.push_back(named.parameter->tensor);
    graph = record("", [&](const Tensors& in) { return model->call(in); }, {batch.tokens, batch.positions}, leaves);
    remove_dead_nodes(*graph);
    merge_equal_nodes(*graph);
    values.resize(graph->values.size());
    values[static_cast<std::size_t>(graph->inputs[0])] = batch.tokens;
    values[static_cast<std::size_t>(graph->inputs[1])] = batch.positions;
    for (std::size_t at = 0; at < leaves.size(); ++at)
      values[static_cast<std::size_t>(graph->parameters[at])] = leaves[at].detach();
    const at::InferenceMode no_autograd;
    run(graph->forward);
    const at::Tensor& logits = values[static_cast<std::size_t>(graph->output)];
    values[static_cast<std::size_t>(graph->tangent)] =
        at::remainder(at::arange(logits.numel(), logits.options()), 7).sub(3).div(64).reshape(logits.sizes());
    run(graph->backward);
  }

  void run(const std::vector<Node>& half) {
    for (const Node& node : half) {
      std::vector<placing::Shape> shapes;
      for (const ValueId id : results(node)) shapes.push_back(graph->values[static_cast<std::size_t>(id)].sizes);
      const auto made = run_on_pieces(node, of(operands(node)), shapes);
      const std::vector<ValueId> ids = results(node);
      for (std::size_t at = 0; at < ids.size(); ++at) values[static_cast<std::size_t>(ids[at])] = made[at];
      nodes.push_back(&node);
    }
  }
  std::vector<at::Tensor> of(const std::vector<ValueId>& ids) const {
    std::vector<at::Tensor> all;
    for (const ValueId id : ids) all.push_back(values[static_cast<std::size_t>(id)]);
    return all;
  }
};

// Whether pieces of the results are what the operator gives on pieces of the operands.
bool is_right(const Node& node, const TracedRun& run, const placing::Strategy& strategy, int ranks) {
  std::vector<at::Tensor> taken = run.of(operands(node)), expected = run.of(results(node));
  bool sums = false;
  for (std::size_t at = 0; at < taken.size(); ++at) {
    if (strategy.operands[at].front().kind != Kind::partial) continue;
    taken[at] = summand(taken[at], 7);  // a whole whose summands are exact
    sums = true;
  }
  if (sums) {
    std::vector<placing::Shape> shapes;
    for (const at::Tensor& each : expected) shapes.push_back(each.sizes().vec());
    expected = run_on_pieces(node, taken, shapes);
  }
  std::vector<std::vector<at::Tensor>> made(expected.size());
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<at::Tensor> pieces;
    std::vector<placing::Shape> sizes;
    for (std::size_t at = 0; at < taken.size(); ++at)
      pieces.push_back(piece_of(taken[at], strategy.operands[at].front(), ranks, rank));
    for (std::size_t at = 0; at < expected.size(); ++at)
      sizes.push_back(sizes_of(expected[at], strategy.results[at].front(), ranks, rank));
    const auto results = run_on_pieces(node, pieces, sizes);
    for (std::size_t at = 0; at < results.size(); ++at) made[at].push_back(results[at]);
  }
  for (std::size_t at = 0; at < expected.size(); ++at) {
    at::Tensor sum = assembled(made[at], strategy.results[at].front()), whole = expected[at];
    // A sum of summands of both signs has lost the sign of a zero; adding zero takes it from both.
    if (strategy.results[at].front().kind == Kind::partial && whole.is_floating_point()) {
      sum = combined(sum, 1, at::zeros_like(sum));
      whole = combined(whole, 1, at::zeros_like(whole));
    }
    if (!same_bits(sum.contiguous(), whole.contiguous())) return false;
  }
  return true;
}

TEST(Strategies, A15GiveBitForBitWhatOneDeviceGives) {
  const TracedRun run;
  const placing::JointGraph joint = placing::joint_graph_of(describe(*run.graph)).value();
  const at::InferenceMode no_autograd;
  std::set<std::string> operators, tried;
  for (const int ranks : {2, 3, 4}) {
    const placing::DeviceMesh mesh{{"dp_shard", ranks}};
    std::size_t next = 0;
    for (std::size_t number = 0; number < joint.nodes.size(); ++number) {
      const placing::JointNode& node = joint.nodes[number];
      if (node.op == "placeholder" || node.op == "output") continue;
      const Node& traced = *run.nodes[next++];
      ASSERT_EQ(traced.name(), node.op);
      const auto strategies = placing::strategies_of(joint, static_cast<int>(number), mesh);
      EXPECT_TRUE(strategies.is_known) << node.op;
      for (const placing::Strategy& strategy : strategies.choices) {
        // Once for each way and shape: layers repeat each other.
        std::string what = node.op + " " + placing::name_of(strategy) + " " + std::to_string(ranks);
        for (const int value : node.operands) what += " " + testing::PrintToString(joint.values[value].shape);
        if (!tried.insert(what).second) continue;
        EXPECT_TRUE(is_right(traced, run, strategy, ranks)) << what;
        operators.insert(node.op);
      }
    }
  }
  EXPECT_GT(operators.size(), 25U);
  EXPECT_GT(tried.size(), 300U);
}

// The same question about ways that are wrong: a product whose contracted dim is split is no whole, a mean of shards is no mean, and
// what rounds, or is not linear, keeps no summands.
TEST(Strategies, AWrongWayIsSeen) {
  const TracedRun run;
  const at::InferenceMode no_autograd;
  const auto first = [&](const std::string& op) {
    return *std::ranges::find_if(run.nodes, [&](const Node* node) { return node->name() == op; });
  };
  using placing::partial, placing::replicate, placing::shard;
  EXPECT_FALSE(is_right(*first("aten::mm"), run, {.operands = {{shard(1)}, {shard(0)}}, .results = {{replicate()}}}, 2));
  EXPECT_FALSE(is_right(*first("aten::mean"), run, {.operands = {{shard(2)}}, .results = {{partial()}}}, 2));
  EXPECT_FALSE(is_right(*first("aten::silu"), run, {.operands = {{partial()}}, .results = {{partial()}}}, 2));
  EXPECT_FALSE(is_right(*first("aten::mul"), run, {.operands = {{partial()}, {replicate()}}, .results = {{partial()}}}, 2));
}

}  // namespace
}  // namespace ordercheck::ranks
