#include "ranks/mechanism/expert_balance.h"

#include <memory>

#include "ranks/model/layers.h"
#include "ranks/model/moe.h"
#include "unit/ranks/comm/on_ranks.h"

namespace ordercheck::ranks {
namespace {

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
