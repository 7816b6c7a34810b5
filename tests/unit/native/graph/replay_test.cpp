#include "native/graph/replay.h"

#include "native/graph/dispatch_mode.h"
#include "native/graph/saved_tensors.h"
#include "native/graph/sharding_collectives.h"
#include "native/train/operator_meter.h"
#include "unit/native/arith/exactly.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

at::Tensor square(int seed) { return variable(numbers({4, 4}, seed)); }

TEST(Replay, GivesEagersBits) {
  const at::Tensor w = square(1), v = square(2);
  expect_equal_both_ways(
      [w, v](const Tensors& in) { return in[0].mm(w).sigmoid().mm(v) + (in[1] * w).sin() * in[0].sum({1}, true); },
      {square(3), square(4)}, {w, v});
}

TEST(Replay, GivesTheBitsOfExactArithmetic) {
  const Exactly exact;
  const at::Tensor w = variable(numbers({3, 4}, 1)), scale = variable(numbers({3}, 2));
  expect_equal_both_ways([w, scale](const Tensors& in) { return at::rms_norm(at::linear(in[0], w), {3}, scale, 1e-5); },
                         {variable(numbers({2, 4}, 3) * 0.01)}, {w, scale});
}

TEST(Replay, HandsOnNoGradientWhereNoneIsNeeded) {
  const at::Tensor w = square(1), unused = square(2);
  expect_equal_both_ways([w](const Tensors& in) { return in[0].mm(w) * in[1]; }, {square(3), numbers({4, 4}, 4)}, {w, unused});
}

TEST(Replay, OneInputMayBeHandedInTwice) {
  const at::Tensor w = square(1), x = square(3);
  expect_equal_both_ways([w](const Tensors& in) { return in[0].mm(w) * in[1].exp(); }, {x, x}, {w});
}

TEST(Replay, AnInputMayBeAParameterToo) {
  const at::Tensor w = square(1);
  expect_equal_both_ways([w](const Tensors& in) { return in[0].mm(w); }, {w}, {w});
}

// Reading it as rows needs a copy, which a contiguous one would not.
at::Tensor as_rows(const at::Tensor& x) { return x.reshape({2, -1}).sin().reshape(x.sizes()); }

TEST(Replay, InputsNeedNotBeContiguous) {
  const at::Tensor x = variable(numbers({4, 6}, 3).t()), y = variable(numbers({6, 8}, 4).narrow(1, 2, 4));
  expect_equal_both_ways([](const Tensors& in) { return as_rows(in[0]) * as_rows(in[1]); }, {x, y}, {});
}

TEST(Replay, ANonContiguousInputMayBeHandedInTwice) {
  const at::Tensor x = variable(numbers({6, 8}, 4).narrow(1, 2, 4));
  expect_equal_both_ways([](const Tensors& in) { return as_rows(in[0]) * as_rows(in[1]).exp(); }, {x, x}, {});
  const at::Tensor row = variable(numbers({1, 4}, 4).expand({6, 4}));
  expect_equal_both_ways([](const Tensors& in) { return as_rows(in[0]) * as_rows(in[1]).exp(); }, {row, row}, {});
}

TEST(Replay, AParameterInTwoSlotsGetsItsGradientOnce) {
  const at::Tensor w = square(1), x = square(3);
  const Recorded computation = [w](const Tensors& in) { return in[0].mm(w).mm(w); };
  const Outcome eager = outcome_of(computation, {x}, {w});
  const GraphPtr graph = record("a region", computation, {x}, {w, w});
  save_everything(*graph);
  const Outcome replay_of_both = outcome_of([&](const Tensors& in) { return replay(graph, in); }, {x}, {w});
  EXPECT_TRUE(same_outcome(eager, replay_of_both));
}

TEST(Replay, TheOutputMayBeAnInputOrAViewOfOne) {
  expect_equal_both_ways([](const Tensors& in) { return in[0]; }, {square(3)}, {});
  expect_equal_both_ways([](const Tensors& in) { return in[0].t(); }, {square(3)}, {});
}

TEST(Replay, OtherNumbersGiveTheirOwnResult) {
  const at::Tensor w = square(1);
  const Recorded computation = [w](const Tensors& in) { return in[0].mm(w).sigmoid(); };
  const GraphPtr graph = record("a region", computation, {square(3)}, {w});
  optimize(*graph);
  for (const int seed : {5, 6}) {
    EXPECT_TRUE(same_outcome(outcome_of(computation, {square(seed)}, {w}), replayed(graph, {square(seed)})));
  }
  {
    const at::NoGradGuard no_grad;
    w.mul_(0.5);
  }
  EXPECT_TRUE(same_outcome(outcome_of(computation, {square(3)}, {w}), replayed(graph, {square(3)})))
      << "the parameter's value is read at every replay";
}

TEST(Replay, HooksOnLeavesFireOnce) {
  const at::Tensor w = square(1), x = square(3);
  const GraphPtr graph = record("a region", [w](const Tensors& in) { return in[0].mm(w); }, {x}, {w});
  save_everything(*graph);
  int of_w = 0, of_x = 0;
  w.register_hook([&](const at::Tensor&) { ++of_w; });
  x.register_hook([&](const at::Tensor& gradient) {
    ++of_x;
    return gradient * 2;
  });
  const at::Tensor expected = numbers({4, 4}, 3).mm(w.detach().t()) * 2;
  const Outcome outcome = replayed(graph, {x});
  EXPECT_EQ(of_w, 1);
  EXPECT_EQ(of_x, 1);
  EXPECT_TRUE(same_bits(outcome.gradients[0], expected)) << "what the hook made of it";
}

TEST(Replay, TwoReplaysMayWaitForTheirBackward) {
  const at::Tensor w = square(1), x = square(3);
  const Recorded computation = [w](const Tensors& in) { return in[0].mm(w).sigmoid(); };
  const GraphPtr graph = record("a region", computation, {x}, {w});
  optimize(*graph);
  const Recorded twice = [&](const Tensors& in) { return computation({computation(in)}); };
  const Recorded twice_replayed = [&](const Tensors& in) { return replay(graph, {replay(graph, in)}); };
  EXPECT_TRUE(same_outcome(outcome_of(twice, {x}, {w}), outcome_of(twice_replayed, {x}, {w})));
}

// The first run fits; what is handed in later need not.
TEST(Replay, KernelsAnswerForTheNumbersOfTheDay) {
  const Exactly exact;
  const at::Tensor w = variable(at::ones({2, 2}, at::kDouble));
  const GraphPtr graph = record("a region", [w](const Tensors& in) { return at::linear(in[0], w); },
                                {variable(at::ones({2, 2}, at::kDouble))}, {w});
  optimize(*graph);
  const at::Tensor small = replay(graph, {variable(at::ones({2, 2}, at::kDouble))});
  EXPECT_GT(range_used(), 0);
  EXPECT_THROW(replay(graph, {variable(at::full({2, 2}, 1e5, at::kDouble))}), OutOfRange);
  EXPECT_THROW(small.backward(at::full({2, 2}, 1e5, at::kDouble)), OutOfRange);
}

class OperatorNames final : public DispatchMode {
 public:
  explicit OperatorNames(std::vector<std::string>& names) : names_(names) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    names_.push_back(op.operator_name().name);
    op.callBoxed(stack);
  }

 private:
  std::vector<std::string>& names_;
};

TEST(Replay, InstrumentsSeeItsInsideAndOtherModesDoNot) {
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor w = square(1), x = square(3), tangent = numbers({4, 4}, 5);
  const GraphPtr graph = record("a region", [w](const Tensors& in) { return in[0].mm(w); }, {x}, {w});
  optimize(*graph);
  std::vector<std::string> outside, inside;
  {
    const DispatchModeScope outer(new OperatorNames(outside));
    const DispatchModeScope meter(new OperatorMeter(rank));
    const DispatchModeScope inner(new OperatorNames(inside));
    replay(graph, {x}).backward(tangent);
    EXPECT_EQ(c10::impl::TorchDispatchModeTLS::stack_len(), 3);
  }
  EXPECT_EQ(rank.counters.matmul_flops, 3 * 2 * 4 * 4 * 4) << "one product forward, two backward";
  EXPECT_THAT(outside, testing::Not(testing::Contains("aten::mm")));
  EXPECT_THAT(inside, testing::Not(testing::Contains("aten::mm")));
}

TEST(Replay, AnExceptionInsideLeavesTheModesInPlace) {
  const Exactly exact;
  const at::Tensor x = at::ones({2, 2}, at::kDouble), w = at::ones({2, 2}, at::kDouble);
  const GraphPtr graph = record("a region", [w](const Tensors& in) { return at::linear(in[0], w); }, {x}, {w});
  save_everything(*graph);
  std::vector<std::string> seen;
  {
    const DispatchModeScope watching(new OperatorNames(seen));
    EXPECT_THROW(replay(graph, {at::full({2, 2}, 1e6, at::kDouble)}), OutOfRange);
    seen.clear();
    x.exp();
    EXPECT_EQ(seen, std::vector<std::string>{"aten::exp"});
  }
  EXPECT_EQ(c10::impl::TorchDispatchModeTLS::stack_len(), 0);
}

TEST(Replay, HoldsForBackwardWhatTheGraphSavesAndNoMore) {
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor w = square(1), x = square(3);
  const HeldStorage parameter(w);
  const GraphPtr graph = record("a region", [w](const Tensors& in) { return in[0].mm(w).sigmoid().exp().sin(); }, {x}, {w});
  optimize(*graph);
  const at::Tensor y = replay(graph, {x});
  EXPECT_EQ(rank.saved_for_backward.held(), saved_bytes(*graph));
  y.backward(numbers({4, 4}, 5));
  EXPECT_EQ(rank.saved_for_backward.held(), 0);
}

TEST(Replay, CountsWhatItRunsAgain) {
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor x = square(3);
  const GraphPtr graph = record("a region", [](const Tensors& in) { return in[0].exp().sin().exp(); }, {x}, {});
  optimize(*graph);
  const auto again = std::ranges::count_if(graph->backward, &Node::recomputed);
  ASSERT_GT(again, 0);
  const DispatchModeScope meter(new OperatorMeter(rank));
  const at::Tensor y = replay(graph, {x});
  EXPECT_EQ(rank.counters.operators_recomputed, 0);
  y.backward(numbers({4, 4}, 5));
  EXPECT_EQ(rank.counters.operators_recomputed, again);
}

// Of the parameter that it gathers a rank holds the whole for as long as its graph reads it.
TEST(Replay, HoldsWhatItUnshardsAmongTheParameters) {
  install_saved_tensor_hooks();
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const at::Tensor piece = variable(numbers({2, 4}, rank.rank)), x = square(3);
    const HeldStorage parameter(piece);
    for (const CheckpointPolicy policy : {CheckpointPolicy::must_save, CheckpointPolicy::must_recompute}) {
      const GraphPtr graph = record("a region",
                                    [&](const Tensors& in) {
                                      const at::Tensor whole = [&] {
                                        const UnshardScope scope(policy);
                                        return gather_from_group(piece, 0, "dp_shard");
                                      }();
                                      return at::linear(in[0], whole).sin();
                                    },
                                    {x}, {piece});
      optimize(*graph);
      const std::int64_t shard = 2 * 4 * 8, whole = 4 * 4 * 8;
      EXPECT_EQ(rank.parameters_held.held(), shard);
      rank.parameters_held.restart_peak();
      const at::Tensor y = replay(graph, {x});
      EXPECT_EQ(rank.parameters_held.held(), policy == CheckpointPolicy::must_save ? shard + whole : shard);
      EXPECT_EQ(rank.parameters_held.peak(), shard + whole);
      y.backward(numbers({4, 4}, 5));
      EXPECT_EQ(rank.parameters_held.held(), shard);
      EXPECT_EQ(rank.parameters_held.peak(), shard + whole);
    }
  });
}

}  // namespace
}  // namespace ordercheck::ranks
