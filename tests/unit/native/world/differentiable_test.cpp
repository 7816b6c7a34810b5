#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "native/world/current_module.h"
#include "on_ranks.h"

// Tests of the differentiable pairs, and of exchange_rows, in native/world/collectives.h.
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

// How many rows go from one rank to another; each is told by where it comes from and goes to.
using Travels = std::vector<std::vector<int64_t>>;

at::Tensor rows_of(const Travels& rows, int from, int to, int salt) {
  return numbers({rows[from][to], 2}, salt + 10 * from + to);
}

class ExchangeRows : public testing::TestWithParam<Travels> {};

TEST_P(ExchangeRows, RowsGoAndGradientsComeHome) {
  const Travels& rows = GetParam();
  const int ranks = static_cast<int>(rows.size());
  complete(mesh_with({{"tp", ranks}}), [&](RankState& rank) {
    std::vector<int64_t> arriving;
    std::vector<at::Tensor> sent, got, weights, home;
    for (int other = 0; other < ranks; ++other) {
      arriving.push_back(rows[other][rank.rank]);
      sent.push_back(rows_of(rows, rank.rank, other, 0));
      got.push_back(rows_of(rows, other, rank.rank, 0));
      weights.push_back(rows_of(rows, other, rank.rank, 500));
      home.push_back(rows_of(rows, rank.rank, other, 500));
    }
    const at::Tensor input = at::cat(sent).requires_grad_();
    const at::Tensor output = exchange_rows(input, arriving, rows[rank.rank], "tp");
    EXPECT_TRUE(same_bits(output, at::cat(got)));
    EXPECT_TRUE(same_bits(grad({output * 1}, {input}, {at::cat(weights)})[0], at::cat(home)));
  });
}

INSTANTIATE_TEST_SUITE_P(Rows, ExchangeRows,
                         testing::Values(Travels{{3}},                                // one rank: nothing is sent
                                         Travels{{2, 2}, {2, 2}},                     // even
                                         Travels{{1, 3}, {0, 2}},                     // uneven, one way none
                                         Travels{{0, 4}, {1, 0}},                     // none stays
                                         Travels{{0, 0}, {2, 1}},                     // a rank that sends none
                                         Travels{{0, 2}, {0, 1}},                     // a rank that gets none
                                         Travels{{1, 0, 2}, {0, 0, 0}, {3, 1, 0}},    //
                                         Travels{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}));  // nobody has any

TEST(Differentiable, ExchangedRowsAreChargedToTheModuleOfTheirForward) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::forward);
    const at::Tensor input = numbers({2}, rank.rank).requires_grad_();
    rank.enter_module("layers.0.moe.experts");
    const at::Tensor output = exchange_rows(input, {1, 1}, {1, 1}, "tp");
    rank.leave_module();
    if (rank.rank == 0) pulled(output * 1, input, rank.rank);
  });
  EXPECT_EQ(result.ending, Ending::deadlocked);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->module, "layers.0.moe.experts");
  EXPECT_EQ(result.failure->phase, Phase::backward);
  EXPECT_EQ(result.failure->operation, "all_to_all");
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
