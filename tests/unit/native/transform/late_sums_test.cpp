#include "native/transform/late_sums.h"

#include <memory>

#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

// A gradient that tells its rank: what was summed over shows in the sum, digit by digit.
double digit_of(int rank) {
  double digit = 1;
  for (int i = 0; i < rank; ++i) digit *= 10;
  return digit;
}

double digits_of(const std::vector<int>& ranks) {
  double sum = 0;
  for (const int rank : ranks) sum += digit_of(rank);
  return sum;
}

struct Holder final : ModuleOf<Holder> {
  Holder() : ModuleOf("Holder") {}
  void add(const std::string& slot, const Placements& placements, bool with_gradient = true) {
    set_parameter(slot, make_parameter(at::zeros({1}, at::kDouble), {1}, placements));
    if (with_gradient) parameter(slot)->tensor.mutable_grad() = at::full({1}, digit_of(this_rank().rank), at::kDouble);
  }
  double gradient(const std::string& slot) const { return parameter(slot)->tensor.grad().item<double>(); }
  at::Tensor forward(const Tensors& inputs) override { return inputs[0]; }
};

LateSum over(const std::string& axis) {
  return {.axis = axis, .of = [](const NamedParameter&) { return true; }};
}

Placement on(const std::string& axis, Placement::Kind kind = Placement::Kind::shard) { return {.axis = axis, .kind = kind}; }

std::vector<int> along(const RankState& rank, std::string_view axis) { return ranks_along(rank.mesh, rank.rank, axis); }

const Mesh kGrid = mesh_with({{"dp_shard", 2}, {"cp", 2}});

TEST(LateSums, SumWhatNothingElseHasChargeOf) {
  complete(kGrid, [](RankState& rank) {
    const auto model = std::make_shared<Holder>();
    model->add("whole", {});
    model->add("other_axis", {on("dp_shard")});
    model->add("same_axis", {on("cp")});
    model->add("joined", {on("dp_shard+cp")});
    model->add("kept_equal", {on("cp", Placement::Kind::replicate)});
    sum_late(model, {over("cp")});
    EXPECT_EQ(model->gradient("whole"), digits_of(along(rank, "cp")));
    EXPECT_EQ(model->gradient("other_axis"), digits_of(along(rank, "cp")));
    for (const char* placed : {"same_axis", "joined", "kept_equal"})
      EXPECT_EQ(model->gradient(placed), digit_of(rank.rank)) << placed;
  });
}

TEST(LateSums, SumTheParametersThatAreNamed) {
  complete(kGrid, [](RankState& rank) {
    const auto model = std::make_shared<Holder>();
    const auto block = std::make_shared<Holder>();
    model->set_child("block", block);
    model->add("weight", {});
    block->add("weight", {});
    sum_late(model, {{.axis = "cp", .of = [](const NamedParameter& named) { return named.name == "block.weight"; }}});
    EXPECT_EQ(model->gradient("weight"), digit_of(rank.rank));
    EXPECT_EQ(block->gradient("weight"), digits_of(along(rank, "cp")));
  });
}

TEST(LateSums, SumOverSeveralAxes) {
  complete(kGrid, [](RankState& rank) {
    const auto model = std::make_shared<Holder>();
    model->add("whole", {});
    model->add("sharded", {on("dp_shard")});
    sum_late(model, {over("cp"), over("dp_shard")});
    EXPECT_EQ(model->gradient("whole"), digits_of(every_rank(rank.mesh)));
    EXPECT_EQ(model->gradient("sharded"), digits_of(along(rank, "cp")));
  });
}

// Of 4 ranks each 2 hold the same experts; however many axes ask for it, theirs are summed over these 2 once.
TEST(LateSums, SumDistributedExpertsOverTheRanksThatHoldTheSame) {
  complete({.degrees = {1, 1, 1, 2, 2}, .ep = 2}, [](RankState& rank) {
    for (const std::vector<LateSum>& sums : {std::vector{over("cp")}, std::vector{over("cp"), over("tp")}}) {
      const auto model = std::make_shared<Holder>();
      model->add("experts", {on("ep")});
      model->add("sharded_experts", {on("ep"), on("edp")});
      sum_late(model, sums);
      EXPECT_EQ(model->gradient("experts"), digits_of(along(rank, "edp")));
      EXPECT_EQ(model->gradient("sharded_experts"), digit_of(rank.rank));
    }
  });
}

TEST(LateSums, LeaveExpertsThatNobodyNames) {
  complete({.degrees = {1, 1, 1, 2, 2}, .ep = 2}, [](RankState& rank) {
    const auto model = std::make_shared<Holder>();
    model->add("experts", {on("ep")});
    sum_late(model, {{.axis = "cp", .of = [](const NamedParameter&) { return false; }}});
    EXPECT_EQ(model->gradient("experts"), digit_of(rank.rank));
  });
}

TEST(LateSums, LeaveWhatHasNoGradientAndSendNothingForIt) {
  complete(kGrid, [](RankState& rank) {
    const auto model = std::make_shared<Holder>();
    model->add("idle", {}, /*with_gradient=*/false);
    sum_late(model, {over("cp")});
    EXPECT_FALSE(model->parameter("idle")->tensor.grad().defined());
    EXPECT_EQ(rank.collectives_issued(), 0);
  });
}

}  // namespace
}  // namespace ordercheck::ranks
