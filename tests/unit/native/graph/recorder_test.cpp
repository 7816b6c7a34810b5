#include "native/graph/recorder.h"

#include <ATen/SavedTensorHooks.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/autograd/custom_function.h>

#include "native/graph/dispatch_mode.h"
#include "native/graph/saved_tensors.h"
#include "native/transform/recompute.h"
#include "unit/native/arith/exactly.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

// Why a computation cannot be captured; "" when it can.
std::string why_not(const Recorded& computation, const Tensors& inputs) {
  try {
    record("a region", computation, inputs, {});
  } catch (const GraphBreak& reason) {
    return reason.what();
  }
  return "";
}

at::Tensor input() { return variable(numbers({2, 2}, 0)); }

struct Refused {
  const char* name;
  Recorded computation;
  const char* reason;
};

class Refusal : public testing::TestWithParam<Refused> {};

TEST_P(Refusal, NamesTheOperatorAndTheReason) {
  EXPECT_THAT(why_not(GetParam().computation, {input()}), HasSubstr(GetParam().reason));
}

// An operator that writes to what it is handed in the backward only.
struct WritesInBackward : torch::autograd::Function<WritesInBackward> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) { return x.exp(); }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, torch::autograd::variable_list tangents) {
    return {tangents[0].neg_()};
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, Refusal,
    testing::Values(Refused{"WritingToAnInput", [](const Tensors& in) { return in[0].detach().mul_(2); },
                            "aten::mul_ writes to a tensor that is no result of the region"},
                    Refused{"WritingToTheTangent", [](const Tensors& in) { return WritesInBackward::apply(in[0]); },
                            "aten::neg_ writes to a tensor that is no result of the region"},
                    Refused{"WritingToAView", [](const Tensors& in) { return in[0].exp().t().mul_(2); },
                            "aten::mul_ writes to a tensor that has views"},
                    Refused{"WritingToAnOut",
                            [](const Tensors& in) {
                              at::Tensor out = at::empty({2, 2}, at::kDouble);
                              return at::exp_out(out, in[0].detach());
                            },
                            "aten::exp writes to its argument"},
                    Refused{"Item", [](const Tensors& in) { return in[0] * in[0].sum().item<double>(); },
                            "aten::_local_scalar_dense reads a value"},
                    Refused{"Nonzero", [](const Tensors& in) { return in[0].nonzero().to(at::kDouble); },
                            "the shape of aten::nonzero depends on values"},
                    Refused{"Random", [](const Tensors& in) { return in[0] * at::rand({2, 2}, at::kDouble); },
                            "aten::rand draws random numbers"},
                    Refused{"Bernoulli", [](const Tensors& in) { return in[0] * at::bernoulli(in[0].detach()); },
                            "aten::bernoulli draws random numbers"},
                    Refused{"Outside", [outside = numbers({2, 2}, 7)](const Tensors& in) { return in[0].mul(outside); },
                            "aten::mul reads a tensor that is neither input nor parameter of the region"},
                    Refused{"OutsideReturned", [outside = numbers({2, 2}, 7)](const Tensors&) { return outside; },
                            "the end of the region reads a tensor"}),
    [](const auto& info) { return std::string(info.param.name); });

// As many rows as come, whatever goes.
TEST(Recorder, ForeseesHowManyRowsAnExchangeReturns) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const auto swap = [&](const Tensors& in) {
      const std::vector<int64_t> goes = rank.rank == 0 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{3, 0};
      const std::vector<int64_t> comes = rank.rank == 0 ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{2, 0};
      return all_to_all(in[0], comes, goes, "tp");
    };
    const GraphPtr graph = record("swap", swap, {numbers({3, 2}, rank.rank)}, {});
    EXPECT_EQ(graph->values[static_cast<std::size_t>(graph->output)].sizes[0], rank.rank == 0 ? 4 : 2);
  });
}

// Counts what it sees.
class OperatorCounter final : public DispatchMode {
 public:
  explicit OperatorCounter(int& seen) : seen_(seen) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    ++seen_;
    op.callBoxed(stack);
  }

 private:
  int& seen_;
};

class CountingHooks final : public SavedTensorHooks {
 public:
  explicit CountingHooks(int& made) : made_(made) {}
  std::unique_ptr<torch::autograd::SavedVariableHooks> make() override {
    ++made_;
    return std::make_unique<Keep>();
  }

 private:
  struct Keep final : torch::autograd::SavedVariableHooks {
    void call_pack_hook(const at::Tensor& tensor) override { kept = tensor; }
    at::Tensor call_unpack_hook() override { return kept; }
    at::Tensor kept;
  };
  int& made_;
};

class Surroundings : public testing::TestWithParam<bool> {};

// Modes and hooks of the caller see nothing of a recording, and are there again afterwards, however it ended.
TEST_P(Surroundings, AreAsTheyWere) {
  const bool throws = GetParam();
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor x = input();
  int seen = 0, made = 0;
  {
    const DispatchModeScope watching(new OperatorCounter(seen));
    const SavedTensorHooksScope hooks(new CountingHooks(made));
    const at::NoGradGuard no_grad;
    const auto computation = [&](const Tensors& in) {
      EXPECT_TRUE(is_recording());
      EXPECT_TRUE(rank.in_dry_run());
      EXPECT_TRUE(at::GradMode::is_enabled());
      const at::Tensor y = in[0].exp().sin();
      if (throws) throw std::length_error("the region's own");
      return y;
    };
    if (throws) {
      EXPECT_THROW(record("a region", computation, {x}, {}), std::length_error);
    } else {
      record("a region", computation, {x}, {});
    }
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(made, 0);
    EXPECT_FALSE(is_recording());
    EXPECT_FALSE(rank.in_dry_run());
    EXPECT_FALSE(at::GradMode::is_enabled());
    EXPECT_EQ(c10::impl::TorchDispatchModeTLS::stack_len(), 1);
    const at::AutoGradMode grad(true);
    x.exp();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(made, 1);
  }
  EXPECT_EQ(c10::impl::TorchDispatchModeTLS::stack_len(), 0);
}

INSTANTIATE_TEST_SUITE_P(EndedByAnException, Surroundings, testing::Bool());

TEST(Recorder, CountsNothingWithTheRank) {
  install_saved_tensor_hooks();
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::forward);
    const at::Tensor x = variable(numbers({2, 2}, rank.rank));
    const Counters before = rank.counters;
    record("a region",
           [](const Tensors& in) {
             const Region again = [](const Tensors& inner) { return copy_to_group(inner[0].exp(), "tp").exp(); };
             return recompute_in_backward(again, in, {});
           },
           {x}, {});
    EXPECT_EQ(rank.counters, before);
    EXPECT_TRUE(rank.collectives().empty());
    EXPECT_EQ(rank.saved_for_backward.peak(), 0);
    EXPECT_EQ(rank.phase(), Phase::forward);
  });
}

// Nobody else is asked: the other rank records nothing, and meets this one only in the replay.
TEST(Recorder, SendsNothingSoOneRankMayRecordAlone) {
  const Recorded computation = [](const Tensors& in) {
    return gather_from_group(copy_to_group(in[0], "tp").exp(), 0, "tp").sin();
  };
  complete(mesh_with({{"tp", 2}}), [&](RankState& rank) {
    const at::Tensor x = variable(numbers({2, 2}, rank.rank));
    if (rank.rank == 0) {
      const GraphPtr graph = record("a region", computation, {x}, {});
      EXPECT_EQ(count(graph->forward, "_c10d_functional::all_gather_into_tensor"), 1);
      EXPECT_EQ(count(graph->backward, "_c10d_functional::reduce_scatter_tensor"), 1);
      EXPECT_EQ(count(graph->backward, "_c10d_functional::all_reduce"), 1);
      EXPECT_EQ(graph->values[graph->output].sizes, (std::vector<int64_t>{4, 2}));
      save_everything(*graph);
      const Outcome own = replayed(graph, {x});
      EXPECT_TRUE(same_outcome(own, outcome_of(computation, {x}, {})));
    } else {
      outcome_of(computation, {x}, {});
      outcome_of(computation, {x}, {});
    }
  });
}

// The numbers of a recording mean nothing: a collective hands back what it was handed.
TEST(Recorder, MeasuresNoRange) {
  const Exactly exact;
  const at::Tensor huge = at::full({2, 2}, 1e6, at::kDouble), w = variable(at::full({2, 2}, 1e6, at::kDouble));
  GraphPtr graph;
  ASSERT_NO_THROW(graph = record("a region", [w](const Tensors& in) { return at::linear(in[0], w); }, {huge}, {w}));
  EXPECT_EQ(count(graph->forward, "aten::mm"), 1);
  EXPECT_EQ(count(graph->backward, "aten::mm"), 1) << "of the weight; the input needs no gradient";
  EXPECT_EQ(range_used(), 0);
  EXPECT_TRUE(is_measured());
}

// As AOTAutograd makes a graph functional: the graph has mul for mul_, and who reads later reads its result.
TEST(Recorder, WritesDownTheFunctionalFormOfWhatWritesToAResult) {
  const Recorded computation = [](const Tensors& in) { return ((in[0] * 3).mul_(2).add_(30) * in[0].exp()).rsqrt(); };
  const at::Tensor x = input();
  const GraphPtr graph = record("a region", computation, {x}, {});
  EXPECT_EQ(count(graph->forward, "aten::mul_"), 0);
  EXPECT_EQ(count(graph->forward, "aten::add_"), 0);
  EXPECT_EQ(count(graph->forward, "aten::add"), 1);
  expect_equal_both_ways(computation, {x}, {});
}

TEST(Recorder, TakesAttentionThatDropsNothing) {
  const at::Tensor x = variable(numbers({2, 4, 6, 2}, 1));
  const auto attend = [](double dropout) {
    return [dropout](const Tensors& in) {
      return at::scaled_dot_product_attention(in[0], in[0], in[0], std::nullopt, dropout, /*is_causal=*/true).sin();
    };
  };
  expect_equal_both_ways(attend(0), {x}, {});
  EXPECT_THAT(why_not(
                  [](const Tensors& in) {
                    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(in[0], in[0], in[0], 0.5));
                  },
                  {x}),
              HasSubstr("draws random numbers"));
}

TEST(Recorder, TellsWorkThatACheckpointDoesAgain) {
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const GraphPtr graph =
      record("a region",
             [](const Tensors& in) {
               return recompute_in_backward([](const Tensors& inner) { return inner[0].exp().sin(); }, in, {});
             },
             {input()}, {});
  EXPECT_TRUE(std::ranges::none_of(graph->forward, &Node::recomputed));
  for (const Node& node : graph->backward) {
    const bool forward_work = node.name() == "aten::exp" || node.name() == "aten::sin";
    if (forward_work) {
      EXPECT_TRUE(node.recomputed) << node.name();
    } else if (node.name() != "aten::detach") {
      EXPECT_FALSE(node.recomputed) << node.name();
    }
  }
  EXPECT_EQ(count(graph->backward, "aten::exp"), 1);
}

TEST(Recorder, KeepsNumbersThatTheProgramWroteDown) {
  expect_equal_both_ways([](const Tensors& in) { return (in[0] * 3 + 0.25).pow(2) / 7; }, {input()}, {});
}

TEST(Recorder, ARegionWithoutAGradientHasNoBackward) {
  const GraphPtr graph = record("a region", [](const Tensors& in) { return in[0].exp(); }, {numbers({2}, 0)}, {});
  EXPECT_EQ(graph->tangent, kNoValue);
  EXPECT_TRUE(graph->backward.empty());
  EXPECT_EQ(graph->gradients, std::vector<ValueId>{kNoValue});
}

}  // namespace
}  // namespace ordercheck::ranks
