// A mixture of experts whose experts take so many tokens and no more.
#include <memory>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "ranks/model/layers.h"
#include "ranks/model/llama.h"
#include "ranks/model/models.h"
#include "ranks/model/moe.h"

namespace ordercheck::ranks {
namespace {

at::Tensor spread(at::IntArrayRef sizes, int seed) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return at::arange(count, at::kDouble).mul(1.7).add(seed).sin().view(sizes);
}

// One expert a token, of three, of which the last gets none: (a, 0) goes to the first with the probability sigmoid(a), (0, a) to
// the second. Of 4 tokens, a factor of 1 gives each expert ceil(4 / 3) = 2.
struct Gated {
  std::shared_ptr<GroupedExperts> experts =
      std::make_shared<GroupedExperts>(spread({3, 2, 2}, 1), spread({3, 2, 2}, 2), spread({3, 2, 2}, 3));
  std::shared_ptr<Linear> gate = std::make_shared<Linear>(at::tensor({1.0, 0.0, 0.0, 1.0, 0.0, 0.0}, at::kDouble).view({3, 2}));
  std::shared_ptr<Linear> shared = std::make_shared<Linear>(spread({2, 2}, 5));
  std::shared_ptr<MoE> moe = std::make_shared<MoE>(std::make_shared<Router>(gate), experts, shared, 1);

  explicit Gated(double factor) { moe->capacity_factor = factor; }
  at::Tensor shared_of(const at::Tensor& x) const { return x.matmul(shared->parameter("weight")->tensor.t()); }
  bool trains_experts_or_router() const {
    double sum = gate->parameter("weight")->tensor.grad().abs().sum().item<double>();
    for (const char* slot : {"w1", "w2", "w3"}) sum += experts->parameter(slot)->tensor.grad().abs().sum().item<double>();
    return sum != 0;
  }
};

at::Tensor four(double first, double second, double third) {
  return at::tensor({first, 0.0, second, 0.0, third, 0.0, 0.0, 1.0}, at::kDouble).view({1, 4, 2}).requires_grad_();
}

bool gets_nothing_routed(const Gated& gated, const at::Tensor& x, int64_t token) {
  const at::Tensor routed = gated.moe->call({x}) - gated.shared_of(x);
  return routed[0][token].abs().sum().item<double>() == 0;
}

TEST(MoEWithCapacity, DropsTheLeastProbableOfAFullExpert) {
  const Gated gated(1);
  at::Tensor rows, counts;
  gated.experts->add_pre_hook([&](Module&, Tensors inputs) {
    rows = inputs[0].detach(), counts = inputs[1];
    return inputs;
  });
  const at::Tensor x = four(3, 1, 2);
  for (const int64_t token : {0, 1, 2, 3}) EXPECT_EQ(gets_nothing_routed(gated, x, token), token == 1) << token;
  EXPECT_TRUE(at::equal(counts, at::tensor({2, 1, 0}, at::kLong)));
  EXPECT_TRUE(at::equal(rows, x.detach()[0].index_select(0, at::tensor({0, 2, 3}, at::kLong))));
  EXPECT_TRUE(at::equal(gated.moe->tokens_per_expert, counts * 4)) << "in four calls: what was dropped is not counted";
}

TEST(MoEWithCapacity, OfEquallyProbableTokensDropsTheLast) {
  const Gated gated(1);
  for (const int64_t token : {0, 1, 2}) EXPECT_EQ(gets_nothing_routed(gated, four(2, 2, 2), token), token == 2) << token;
}

TEST(MoEWithCapacity, ADroppedTokenHasNoPartInGradientsOfExpertsAndRouter) {
  const Gated gated(1);
  const at::Tensor x = four(3, 1, 2);
  gated.moe->call({x})[0][1].sum().backward();
  EXPECT_FALSE(gated.trains_experts_or_router());
  EXPECT_TRUE(at::equal(x.grad()[0][1], gated.shared->parameter("weight")->tensor.detach().sum(0))) << "the shared one's alone";
  gated.moe->call({x})[0][2].sum().backward();
  EXPECT_TRUE(gated.trains_experts_or_router()) << "shows nothing";
}

// The module sees no more than it is called with.
TEST(MoEWithCapacity, HalvesDropOtherTokensThanTheWhole) {
  const Gated gated(1);
  const at::Tensor x = four(3, 2, 1);
  const at::Tensor whole = gated.moe->call({x});
  const at::Tensor halves = at::cat({gated.moe->call({x.narrow(1, 0, 2)}), gated.moe->call({x.narrow(1, 2, 2)})}, 1);
  EXPECT_TRUE(at::equal(halves[0][0], whole[0][0]));
  EXPECT_FALSE(at::equal(halves[0][1], whole[0][1])) << "dropped in its half: a capacity of 1";
  EXPECT_FALSE(at::equal(halves[0][2], whole[0][2])) << "dropped in the whole";
  const Gated dropless(0);
  EXPECT_TRUE(at::equal(at::cat({dropless.moe->call({x.narrow(1, 0, 2)}), dropless.moe->call({x.narrow(1, 2, 2)})}, 1),
                        dropless.moe->call({x})));
}

TEST(MoEWithCapacity, ACopyHasItToo) {
  const Gated gated(1);
  const at::Tensor x = four(3, 1, 2);
  EXPECT_TRUE(at::equal(gated.moe->deep_copy()->call({x}), gated.moe->call({x})));
  EXPECT_FALSE(at::equal(gated.moe->call({x}), Gated(0).moe->call({x})));
}

struct Trained {
  ModulePtr model;
  at::Tensor logits;
  explicit Trained(ModulePtr made) : model(std::move(made)) {
    const at::Tensor tokens = at::arange(3 * 24, at::kLong).mul(7).remainder(kUsualModel.vocab).view({3, 24});
    logits = model->call({tokens, at::arange(24, at::kLong)});
    logits.mul(spread({kUsualModel.vocab}, 8)).sum().backward();
  }
  int64_t taken() const {
    int64_t sum = 0;
    for (const ModulePtr& module : modules_of(model))
      if (const auto* moe = dynamic_cast<const MoE*>(module.get())) sum += moe->tokens_per_expert.sum().item<int64_t>();
    return sum;
  }
};

bool same(const Trained& one, const Trained& other) {
  if (!at::equal(one.logits, other.logits)) return false;
  const auto ours = parameters_of(one.model), theirs = parameters_of(other.model);
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (!at::equal(ours[i].parameter->tensor.grad(), theirs[i].parameter->tensor.grad())) return false;
  return ours.size() == theirs.size();
}

constexpr int64_t kAllCopies = int64_t{3} * 24 * 2 * 2;  // tokens, experts of each, layers

TEST(MoEWithCapacity, WithRoomForAllIsTheModelWithout) {
  const Trained without(make_model("moe", {}));
  const Trained roomy(make_moe(kUsualModel, kUsualExperts, {.capacity_factor = 8}));
  EXPECT_EQ(without.taken(), kAllCopies);
  EXPECT_EQ(roomy.taken(), kAllCopies);
  EXPECT_TRUE(same(without, roomy));
}

TEST(MoEWithCapacity, DropsTokensInTheUsualSizes) {
  const Trained without(make_model("moe", {})), with(make_model("moe_capacity", {}));
  EXPECT_LT(with.taken(), kAllCopies);
  EXPECT_GT(with.taken(), kAllCopies / 2);
  EXPECT_FALSE(same(without, with));
}

}  // namespace
}  // namespace ordercheck::ranks
