#include "ranks/mechanism/distributed_experts.h"

#include "ranks/model/moe.h"
#include "unit/ranks/arith/exactly.h"
#include "unit/ranks/comm/on_ranks.h"

namespace ordercheck::ranks {
namespace {

constexpr int64_t kExperts = 4, kDim = 3, kHidden = 2;

std::shared_ptr<GroupedExperts> some_experts() {
  const auto weights = [](int seed, int64_t rows, int64_t columns) { return numbers({kExperts, rows, columns}, seed).sin(); };
  return std::make_shared<GroupedExperts>(weights(1, kHidden, kDim), weights(2, kDim, kHidden), weights(3, kHidden, kDim));
}

// Counts differ between ranks; of the last expert nobody has a row.
at::Tensor counts_of(int rank) { return rank == 0 ? at::tensor({1, 0, 3, 0}, at::kLong) : at::tensor({0, 2, 2, 0}, at::kLong); }
at::Tensor rows_of(int rank) { return numbers({counts_of(rank).sum().item<int64_t>(), kDim}, rank).cos(); }

// What comes home is what the experts make of a rank's own rows.
TEST(DistributedExperts, WorkOnEveryRanksRows) {
  complete({.degrees = {1, 1, 2, 1, 1}, .ep = 2}, [](RankState& rank) {
    const at::Tensor counts = counts_of(rank.rank);
    const at::Tensor expected = some_experts()->call({rows_of(rank.rank), counts});
    const auto experts = some_experts();
    distribute_experts(*experts, {.mesh = rank.mesh, .rank = rank.rank});
    EXPECT_EQ(experts->parameter("w1")->tensor.size(0), kExperts / 2);
    EXPECT_TRUE(at::equal(experts->call({rows_of(rank.rank), counts}), expected));
  });
}

// Gradients of experts come from the rows of all ranks; those of rows go home.
TEST(DistributedExperts, PullGradientsBackTheWayTheyCame) {
  const Exactly exact;  // one rank sums over the rows of both
  at::Tensor whole;
  std::vector<at::Tensor> to_rows;
  const auto experts = some_experts();
  for (const int rank : {0, 1}) {
    const at::Tensor rows = rows_of(rank).requires_grad_();
    experts->call({rows, counts_of(rank)}).sum().backward();
    to_rows.push_back(rows.grad());
  }
  whole = experts->parameter("w3")->tensor.grad();
  complete({.degrees = {1, 1, 2, 1, 1}, .ep = 2}, [&](RankState& rank) {
    const auto own = some_experts();
    distribute_experts(*own, {.mesh = rank.mesh, .rank = rank.rank});
    const at::Tensor rows = rows_of(rank.rank).requires_grad_();
    own->call({rows, counts_of(rank.rank)}).sum().backward();
    EXPECT_TRUE(same_bits(rows.grad(), to_rows[rank.rank]));
    EXPECT_TRUE(same_bits(own->parameter("w3")->tensor.grad(), whole.narrow(0, 2 * rank.rank, 2)));
  });
}

TEST(DistributedExperts, RefuseRanksThatDoNotDivideThem) {
  const WorldResult result = run({.degrees = {1, 1, 3, 1, 1}, .ep = 3}, [](RankState& rank) {
    distribute_experts(*some_experts(), {.mesh = rank.mesh, .rank = rank.rank});
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, testing::HasSubstr("expected a number of experts that 3 divides, got 4"));
}

}  // namespace
}  // namespace ordercheck::ranks
