#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "on_ranks.h"
#include "ranks/comm/blame.h"

// Tests of the differentiable pairs in ranks/comm/collectives.h.
namespace ordercheck::ranks {
namespace {

using testing::Contains;
using testing::HasSubstr;
using torch::autograd::grad;

class Pairs : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Pairs, testing::Values(1, 2, 3, 4, 8));

// What rank `rank` pulls back through a pair: its own weights on the output.
at::Tensor pulled(const at::Tensor& output, const at::Tensor& input, int rank) {
  return grad({output}, {input}, {numbers(output.sizes(), 100 + rank)})[0];
}

at::Tensor sum_of_weights(int ranks, at::IntArrayRef sizes) {
  at::Tensor sum = numbers(sizes, 100);
  for (int rank = 1; rank < ranks; ++rank) sum = sum + numbers(sizes, 100 + rank);
  return sum;
}

TEST_P(Pairs, CopyIsTheIdentityAndSumsGradients) {
  complete(mesh_with({{"tp", GetParam()}}), [&](RankState& rank) {
    const at::Tensor input = numbers({2, 3}, rank.rank).requires_grad_();
    const at::Tensor output = copy_to_group(input, "tp");
    EXPECT_TRUE(same_bits(output, input));
    EXPECT_TRUE(same_bits(pulled(output * 1, input, rank.rank), sum_of_weights(GetParam(), {2, 3})));
  });
}

TEST_P(Pairs, ReduceSumsAndPassesGradientsOn) {
  complete(mesh_with({{"tp", GetParam()}}), [&](RankState& rank) {
    const at::Tensor input = numbers({2, 3}, rank.rank).requires_grad_();
    const at::Tensor output = reduce_from_group(input, "tp");
    {
      const at::NoGradGuard no_gradient;
      EXPECT_TRUE(same_bits(output, all_reduce(input, "tp")));
    }
    EXPECT_TRUE(same_bits(pulled(output * 1, input, rank.rank), numbers({2, 3}, 100 + rank.rank)));
  });
}

TEST_P(Pairs, GatherPullsBackASummedPart) {
  const int ranks = GetParam();
  for (const int64_t dim : {0, 1}) {
    complete(mesh_with({{"tp", ranks}}), [&](RankState& rank) {
      const at::Tensor input = numbers({2, 3}, rank.rank).requires_grad_();
      const at::Tensor output = gather_from_group(input, dim, "tp");
      EXPECT_EQ(output.size(dim), input.size(dim) * ranks);
      EXPECT_TRUE(
          same_bits(pulled(output * 1, input, rank.rank), sum_of_weights(ranks, output.sizes()).chunk(ranks, dim)[rank.rank]));
    });
  }
}

TEST_P(Pairs, ScatterPullsBackEveryPart) {
  const int ranks = GetParam();
  for (const int64_t dim : {0, 1}) {
    complete(mesh_with({{"tp", ranks}}), [&](RankState& rank) {
      const at::Tensor input = numbers({2 * ranks, 3 * ranks}, rank.rank).requires_grad_();
      const at::Tensor output = scatter_to_group(input, dim, "tp");
      std::vector<at::Tensor> weights;
      for (int other = 0; other < ranks; ++other) weights.push_back(numbers(output.sizes(), 100 + other));
      EXPECT_TRUE(same_bits(pulled(output * 1, input, rank.rank), at::cat(weights, dim)));
    });
  }
}

TEST(Differentiable, CountsBackwardCollectivesInBackward) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::forward);
    const at::Tensor input = numbers({4}, rank.rank).requires_grad_();
    pulled(gather_from_group(input, 0, "tp"), input, rank.rank);
    EXPECT_THAT(rank.collectives(),
                testing::UnorderedElementsAre(CollectiveCount{"all_gather", "tp", Phase::forward, 1, 32},
                                              CollectiveCount{"reduce_scatter", "tp", Phase::backward, 1, 64}));
  });
}

// In backward no module's call runs; the failure names the module whose forward asked for the collective.
TEST(Differentiable, ChargesBackwardToTheModuleOfItsForward) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(3, Phase::forward);
    const at::Tensor input = numbers({4}, rank.rank).requires_grad_();
    rank.enter_module("layers.0.attention");
    const at::Tensor output = copy_to_group(input, "tp");
    rank.leave_module();
    if (rank.rank == 0) pulled(output * 1, input, rank.rank);
  });
  EXPECT_EQ(result.ending, Ending::deadlocked);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->module, "layers.0.attention");
  EXPECT_EQ(result.failure->phase, Phase::backward);
  EXPECT_EQ(result.failure->operation, "all_reduce");
  EXPECT_EQ(result.failure->message,
            "no rank can go on: rank 0 waits in all_reduce #0 on tp (layers.0.attention, backward); rank 1 finished");
}

}  // namespace
}  // namespace ordercheck::ranks
