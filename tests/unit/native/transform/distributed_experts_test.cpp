#include "native/transform/distributed_experts.h"

#include <memory>

#include "native/module/layers.h"
#include "native/module/moe.h"
#include "unit/native/arith/exactly.h"
#include "unit/native/world/on_ranks.h"

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
  const Exactly exact;  // MKL rounds a product of fewer rows otherwise
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

constexpr double kMoved = 0x1p-5;

std::shared_ptr<MoE> mixture_with(const std::vector<int64_t>& counts) {
  const auto experts = static_cast<int64_t>(counts.size());
  const auto three = [&] { return at::ones({experts, 1, 1}, at::kDouble); };
  const auto moe = std::make_shared<MoE>(
      std::make_shared<Router>(std::make_shared<Linear>(at::ones({experts, 1}, at::kDouble))),
      std::make_shared<GroupedExperts>(three(), three(), three()), std::make_shared<Linear>(at::ones({1, 1}, at::kDouble)), 1);
  moe->bias = at::arange(experts, at::kDouble);
  moe->tokens_per_expert = at::tensor(counts, at::kLong);
  return moe;
}

// In steps, whose size no count decides.
at::Tensor moved(const MoE& moe) { return (moe.bias - at::arange(moe.bias.size(0), at::kDouble)) / kMoved; }

TEST(ExpertBalance, MovesTowardTheMeanByAStep) {
  const auto moe = mixture_with({0, 3, 4, 100, 8});
  move_expert_biases(moe, {});
  EXPECT_TRUE(at::equal(moved(*moe), at::tensor({1.0, 1.0, 1.0, -1.0, 1.0}, at::kDouble)));
  EXPECT_TRUE(at::equal(moe->tokens_per_expert, at::zeros({5}, at::kLong)));
}

TEST(ExpertBalance, LeavesTheMeanWhereItIs) {
  const auto moe = mixture_with({2, 5, 8});
  move_expert_biases(moe, {});
  EXPECT_TRUE(at::equal(moved(*moe), at::tensor({1.0, 0.0, -1.0}, at::kDouble)));
}

// 10/3 is rounded down to 3, and a count of 3 is still less.
TEST(ExpertBalance, RoundsNoMean) {
  const auto moe = mixture_with({3, 3, 4});
  move_expert_biases(moe, {});
  EXPECT_TRUE(at::equal(moved(*moe), at::tensor({1.0, 1.0, -1.0}, at::kDouble)));
}

TEST(ExpertBalance, CountsAnew) {
  const auto moe = mixture_with({2, 5, 8});
  move_expert_biases(moe, {});
  const at::Tensor once = moe->bias.clone();
  move_expert_biases(moe, {});
  EXPECT_TRUE(at::equal(moe->bias, once)) << "no token was counted since";
}

TEST(ExpertBalance, MovesEveryMixtureBelow) {
  const auto root = std::make_shared<ModuleDict>();
  const auto first = mixture_with({1, 2}), second = mixture_with({2, 1});
  const auto between = std::make_shared<ModuleDict>();
  between->set_child("0", first);
  root->set_child("layers", between);
  root->set_child("1", second);
  move_expert_biases(root, {});
  EXPECT_TRUE(at::equal(moved(*first), at::tensor({1.0, -1.0}, at::kDouble)));
  EXPECT_TRUE(at::equal(moved(*second), at::tensor({-1.0, 1.0}, at::kDouble)));
}

// On each rank another expert is ahead; of all ranks together it is the last, and of those along one axis it depends.
TEST(ExpertBalance, CountsOverTheRanksAlongTheAxes) {
  complete(mesh_with({{"dp_shard", 2}, {"tp", 2}}), [](RankState& rank) {
    std::vector<int64_t> counts{0, 0, 0, 0, 9};
    counts[static_cast<std::size_t>(rank.rank)] = 10;
    const auto over_all = mixture_with(counts), over_one = mixture_with(counts);
    move_expert_biases(over_all, {"dp_shard", "tp"});
    EXPECT_TRUE(at::equal(moved(*over_all), at::tensor({1.0, 1.0, 1.0, 1.0, -1.0}, at::kDouble)));
    EXPECT_TRUE(at::equal(over_all->tokens_per_expert, at::zeros({5}, at::kLong)));

    // The mean of 38 tokens is 7.6: both experts that this pair of ranks has tokens for are ahead.
    move_expert_biases(over_one, {"tp"});
    const bool low = rank.rank < 2;
    EXPECT_TRUE(at::equal(moved(*over_one), low ? at::tensor({-1.0, -1.0, 1.0, 1.0, -1.0}, at::kDouble)
                                                : at::tensor({1.0, 1.0, -1.0, -1.0, -1.0}, at::kDouble)));
  });
}

}  // namespace
}  // namespace ordercheck::ranks
