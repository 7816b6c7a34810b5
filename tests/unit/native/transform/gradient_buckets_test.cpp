#include "native/transform/gradient_buckets.h"

#include "native/graph/dispatch_mode.h"
#include "native/module/rank.h"
#include "native/transform/on_gradient.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Mesh kTwo = mesh_with({{"dp_replicate", 2}});

// Whole numbers, so that sums are exact whatever their order; other ones on every rank and in every backward.
at::Tensor tangent_of(int rank, int backward, std::size_t parameter) {
  return at::full({8}, 1.0 + rank + 10 * backward + 100 * static_cast<int>(parameter), at::kDouble);
}

at::Tensor sum_of_tangents(const std::vector<int>& backwards, std::size_t parameter) {
  at::Tensor sum = at::zeros({8}, at::kDouble);
  for (const int backward : backwards) {
    for (const int rank : {0, 1}) sum = sum + tangent_of(rank, backward, parameter);
  }
  return sum;
}

// `count` parameters of 64 bytes; a backward hands each one its tangent.
class Model {
 public:
  Model(RankState& rank, std::size_t count) : rank_(rank) {
    for (std::size_t i = 0; i < count; ++i) parameters.push_back(make_parameter(numbers({8}, rank.rank), {8}, {}));
  }
  void backward(int number, const std::vector<std::size_t>& used) {
    at::Tensor loss;
    for (const std::size_t i : used) {
      const at::Tensor term = (parameters[i]->tensor * tangent_of(rank_.rank, number, i)).sum();
      loss = loss.defined() ? loss + term : term;
    }
    loss.backward();
  }
  void backward(int number) {
    std::vector<std::size_t> all(parameters.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    backward(number, all);
  }
  void expect_sums(const std::vector<int>& backwards) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE(same_bits(parameters[i]->tensor.grad(), sum_of_tangents(backwards, i))) << "parameter " << i;
    }
  }
  void clear() {
    for (const ParameterPtr& parameter : parameters) parameter->tensor.mutable_grad().reset();
  }
  std::vector<ParameterPtr> parameters;

 private:
  RankState& rank_;
};

// The elements of each collective, in the order sent.
class Sends final : public DispatchMode {
 public:
  explicit Sends(std::vector<at::Tensor>& sent) : sent_(sent) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    const std::string& name = op.operator_name().name;
    if (name == "_c10d_functional::all_reduce" || name == "_c10d_functional::broadcast") {
      sent_.push_back(stack[stack.size() - op.schema().arguments().size()].toTensor());
    }
    op.callBoxed(&stack);
  }

 private:
  std::vector<at::Tensor>& sent_;
};

std::vector<int64_t> elements(const std::vector<at::Tensor>& sent) {
  std::vector<int64_t> counts;
  for (const at::Tensor& tensor : sent) counts.push_back(tensor.numel());
  return counts;
}

BucketOptions caps(std::int64_t first, std::int64_t others) { return {.first_bytes = first, .bytes = others}; }

struct Filling {
  std::size_t parameters;
  BucketOptions options;
  std::vector<int64_t> elements;
};

class Filled : public testing::TestWithParam<Filling> {};

TEST_P(Filled, FromTheLastParameterUpToTheCaps) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, GetParam().parameters);
    const auto buckets = GradientBuckets::bind(model.parameters, GetParam().options);
    std::vector<at::Tensor> sent;
    const DispatchModeScope watching(new Sends(sent));
    buckets->prepare(true);
    model.backward(0);
    EXPECT_EQ(elements(sent), GetParam().elements);
    EXPECT_EQ(sent[0][0].item<double>(), tangent_of(rank.rank, 0, GetParam().parameters - 1)[0].item<double>())
        << "the last parameter is first";
  });
}

INSTANTIATE_TEST_SUITE_P(Caps, Filled,
                         testing::Values(Filling{5, caps(64, 128), {8, 16, 16}}, Filling{5, caps(128, 128), {16, 16, 8}},
                                         Filling{5, caps(1 << 20, 192), {24, 16}},  // the first cap is never above the others
                                         Filling{3, caps(32, 32), {8, 8, 8}},       // larger than the cap: each its own
                                         Filling{4, {}, {32}}),
                         [](const auto& info) { return "Case" + std::to_string(info.index); });

// Which gradient comes first is the graph's affair, and may differ from rank to rank.
TEST(GradientBuckets, AreSentInTheirOrderWhateverTheOrderOfGradients) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 3);
    const auto buckets = GradientBuckets::bind(model.parameters, caps(64, 64));
    for (const std::vector<std::size_t>& used : {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
      model.clear();
      std::vector<at::Tensor> sent;
      {
        const DispatchModeScope watching(new Sends(sent));
        buckets->prepare(true);
        model.backward(0, rank.rank == 0 ? used : std::vector<std::size_t>{2, 0, 1});
      }
      ASSERT_EQ(sent.size(), 3u);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(sent[i], tangent_of(rank.rank, 0, 2 - i)));
      model.expect_sums({0});
    }
  });
}

TEST(GradientBuckets, SumOverRanksAndMicrobatches) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 3);
    const auto buckets = GradientBuckets::bind(model.parameters, caps(64, 128));
    for (int step = 0; step < 2; ++step) {
      for (const int microbatch : {0, 1, 2}) {
        buckets->prepare(true);
        model.backward(microbatch);
      }
      model.expect_sums({0, 1, 2});
      model.clear();
    }
  });
}

TEST(GradientBuckets, WithoutSynchronizingSendNothingUntilTheLast) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 3);
    const auto buckets = GradientBuckets::bind(model.parameters, caps(64, 128));
    for (int step = 0; step < 2; ++step) {
      std::vector<at::Tensor> sent;
      const DispatchModeScope watching(new Sends(sent));
      for (const int microbatch : {0, 1, 2}) {
        const bool last = microbatch == 2;
        buckets->prepare(last);
        model.backward(microbatch);
        EXPECT_EQ(elements(sent), last ? std::vector<int64_t>({8, 16}) : std::vector<int64_t>());
      }
      model.expect_sums({0, 1, 2});
      model.clear();
    }
  });
}

// What stayed local is sent with the next, also when something was summed before it.
TEST(GradientBuckets, ALocalBackwardBetweenTwoSummedOnesIsNotLost) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 2);
    const auto buckets = GradientBuckets::bind(model.parameters, {});
    for (const int microbatch : {0, 1, 2}) {
      buckets->prepare(microbatch != 1);
      model.backward(microbatch);
    }
    model.expect_sums({0, 1, 2});
  });
}

TEST(GradientBuckets, AMissingGradientIsFoundAtTheNextForward) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 4);
    const auto buckets = GradientBuckets::bind(model.parameters, caps(64, 64));
    std::vector<at::Tensor> sent;
    {
      const DispatchModeScope watching(new Sends(sent));
      buckets->prepare(true);
      model.backward(0, {0, 2, 3});
    }
    EXPECT_EQ(sent.size(), 2u) << "those before the bucket that waits";
    try {
      buckets->prepare(true);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("Expected to have finished reduction in the prior iteration"));
      EXPECT_THAT(error.what(), HasSubstr("3 of 4 parameters got a gradient, 2 of 4 buckets were sent"));
    }
  });
}

// As stock DDP reduces it: what hangs on a leaf has the rank's own gradient, and what it takes away is zero in the bucket.
TEST(GradientBuckets, AGradientThatItsLeafDroppedIsZeroInTheSum) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 2);
    const auto buckets = GradientBuckets::bind(model.parameters, {});
    on_gradient(model.parameters[0]->tensor, [&] {
      EXPECT_TRUE(same_bits(model.parameters[0]->tensor.grad(), tangent_of(rank.rank, 0, 0)));
      model.parameters[0]->tensor.mutable_grad().reset();
    });
    buckets->prepare(true);
    model.backward(0);
    EXPECT_TRUE(same_bits(model.parameters[0]->tensor.grad(), at::zeros({8}, at::kDouble)));
    EXPECT_TRUE(same_bits(model.parameters[1]->tensor.grad(), sum_of_tangents({0}, 1)));
  });
}

TEST(GradientBuckets, AForwardWithoutBackwardIsNoError) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 2);
    const auto buckets = GradientBuckets::bind(model.parameters, {});
    buckets->prepare(true);
    buckets->prepare(true);
    model.backward(0);
    model.expect_sums({0});
  });
}

TEST(GradientBuckets, BroadcastTheFirstReplicasValues) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 3);
    const auto buckets = GradientBuckets::bind(model.parameters, caps(64, 128));
    std::vector<at::Tensor> sent;
    const DispatchModeScope watching(new Sends(sent));
    buckets->broadcast_values();
    EXPECT_THAT(elements(sent), ElementsAre(8, 16));
    for (const ParameterPtr& parameter : model.parameters) {
      EXPECT_TRUE(same_bits(parameter->tensor.detach(), numbers({8}, 0)));
      EXPECT_TRUE(parameter->tensor.is_leaf() && parameter->tensor.requires_grad());
    }
  });
}

// As DistributedDataParallel: what is frozen is sent once, when it is made, and is in no bucket.
TEST(GradientBuckets, LeaveFrozenParametersOutOfBuckets) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 3);
    model.parameters[1]->tensor.set_requires_grad(false);
    const auto buckets = GradientBuckets::bind(model.parameters, {});
    std::vector<at::Tensor> sent;
    {
      const DispatchModeScope watching(new Sends(sent));
      buckets->broadcast_values();
      for (const int microbatch : {0, 1}) {
        buckets->prepare(true);
        model.backward(microbatch, {0, 2});
      }
    }
    EXPECT_THAT(elements(sent), ElementsAre(16, 8, 16, 16));
    EXPECT_TRUE(same_bits(model.parameters[1]->tensor, numbers({8}, 0)));
    EXPECT_TRUE(same_bits(model.parameters[2]->tensor.grad(), sum_of_tangents({0, 1}, 2)));
  });
}

TEST(GradientBuckets, RefuseAModelOfWhichNothingIsTrained) {
  const WorldResult result = run(kTwo, [](RankState& rank) {
    Model model(rank, 1);
    model.parameters[0]->tensor.set_requires_grad(false);
    GradientBuckets::bind(model.parameters, {});
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, HasSubstr("doesn't have any parameters that require a gradient"));
}

TEST(GradientBuckets, RefuseAGradientThatComesTwice) {
  const WorldResult result = run(kTwo, [](RankState& rank) {
    Model model(rank, 2);
    const auto buckets = GradientBuckets::bind(model.parameters, caps(64, 64));
    buckets->prepare(true);
    model.backward(0, {1});
    model.backward(0, {1});
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, HasSubstr("Expected to mark a variable ready only once"));
  EXPECT_THAT(result.failure->message, HasSubstr("parameter 1 of 2"));
}

TEST(GradientBuckets, SendNothingOnOneRank) {
  complete(Mesh{}, [](RankState& rank) {
    Model model(rank, 2);
    const auto buckets = GradientBuckets::bind(model.parameters, {});
    buckets->broadcast_values();
    buckets->prepare(true);
    model.backward(0);
    EXPECT_TRUE(rank.collectives().empty());
    EXPECT_TRUE(same_bits(model.parameters[1]->tensor.grad(), tangent_of(0, 0, 1)));
  });
}

// The buckets may go before the parameters: their hooks then do nothing.
TEST(GradientBuckets, MayGoBeforeTheParameters) {
  complete(kTwo, [](RankState& rank) {
    Model model(rank, 2);
    GradientBuckets::bind(model.parameters, {})->prepare(true);
    model.backward(0);
    EXPECT_TRUE(same_bits(model.parameters[0]->tensor.grad(), tangent_of(rank.rank, 0, 0)));
    EXPECT_TRUE(rank.collectives().empty());
  });
}

}  // namespace
}  // namespace ordercheck::ranks
