#include "native/module/moe.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "native/module/layers.h"
#include "native/module/llama.h"
#include "native/module/models.h"

namespace ordercheck::ranks {
namespace {

constexpr int64_t kExperts = 4, kDim = 3, kHidden = 2, kTokens = 10;
constexpr int kChosen = 2;

at::Tensor some(at::IntArrayRef sizes, int seed) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return at::arange(count, at::kDouble).mul(1.7).add(seed).sin().view(sizes);
}

struct Mixture {
  std::shared_ptr<GroupedExperts> experts = std::make_shared<GroupedExperts>(
      some({kExperts, kHidden, kDim}, 1), some({kExperts, kDim, kHidden}, 2), some({kExperts, kHidden, kDim}, 3));
  std::shared_ptr<Linear> gate = std::make_shared<Linear>(some({kExperts, kDim}, 4));
  std::shared_ptr<Linear> shared = std::make_shared<Linear>(some({kDim, kDim}, 5));
  std::shared_ptr<MoE> moe = std::make_shared<MoE>(std::make_shared<Router>(gate), experts, shared, kChosen);

  at::Tensor weight(const std::string& slot) const { return experts->parameter(slot)->tensor; }
};

at::Tensor tokens() { return some({2, kTokens / 2, kDim}, 6).requires_grad_(); }

at::Tensor scores_of(const Mixture& mixture, const at::Tensor& token) {
  return at::sigmoid(mixture.gate->parameter("weight")->tensor.mv(token));
}

// The best by score plus bias, by counting who is better.
std::vector<int64_t> chosen_for(const Mixture& mixture, const at::Tensor& token) {
  const at::Tensor favour = scores_of(mixture, token).detach() + mixture.moe->bias;
  std::vector<int64_t> chosen;
  for (int64_t expert = 0; expert < kExperts; ++expert)
    if (favour.gt(favour[expert]).sum().item<int64_t>() < kChosen) chosen.push_back(expert);
  return chosen;
}

at::Tensor expert_of(const Mixture& mixture, int64_t expert, const at::Tensor& token) {
  const at::Tensor gate = at::silu(mixture.weight("w1")[expert].mv(token));
  return mixture.weight("w2")[expert].mv(gate * mixture.weight("w3")[expert].mv(token));
}

// Token by token and expert by expert.
at::Tensor naive(const Mixture& mixture, const at::Tensor& x) {
  std::vector<at::Tensor> rows;
  for (const at::Tensor& token : x.reshape({kTokens, kDim}).unbind(0)) {
    at::Tensor row = mixture.shared->parameter("weight")->tensor.mv(token);
    const at::Tensor scores = scores_of(mixture, token);
    for (const int64_t expert : chosen_for(mixture, token)) row = row + scores[expert] * expert_of(mixture, expert, token);
    rows.push_back(row);
  }
  return at::stack(rows).view(x.sizes());
}

TEST(MoE, IsTheWeightedSumOfChosenExpertsAndTheSharedOne) {
  const Mixture mixture, oracle;
  const at::Tensor x = tokens(), y = tokens(), weights = some({2, kTokens / 2, kDim}, 7);
  const at::Tensor out = mixture.moe->call({x}), expected = naive(oracle, y);
  EXPECT_TRUE(at::allclose(out, expected));
  out.backward(weights), expected.backward(weights);
  EXPECT_TRUE(at::allclose(x.grad(), y.grad()));
  for (const char* slot : {"w1", "w2", "w3"})
    EXPECT_TRUE(at::allclose(mixture.weight(slot).grad(), oracle.weight(slot).grad()));
  EXPECT_TRUE(at::allclose(mixture.gate->parameter("weight")->tensor.grad(), oracle.gate->parameter("weight")->tensor.grad()))
      << "scores weigh with a gradient";
}

// Among the chosen the bias decides, among the weights it has no say.
TEST(MoE, ABiasChangesWhoIsChosenAndNoWeight) {
  Mixture mixture, oracle;
  const at::Tensor before = mixture.moe->call({tokens()});
  for (const Mixture* each : {&mixture, &oracle}) each->moe->bias = at::tensor({0.0, 1.0, -1.0, -4.0}, at::kDouble);
  const at::Tensor after = mixture.moe->call({tokens()});
  EXPECT_FALSE(at::allclose(after, before));
  EXPECT_TRUE(at::allclose(after, naive(oracle, tokens())));
}

TEST(MoE, TheLastExpertIsIdleAndItsGradientZero) {
  const Mixture mixture;
  mixture.moe->call({tokens()}).sum().backward();
  EXPECT_EQ(mixture.moe->tokens_per_expert[-1].item<int64_t>(), 0);
  for (const char* slot : {"w1", "w2", "w3"}) {
    const at::Tensor gradient = mixture.weight(slot).grad();
    ASSERT_TRUE(gradient.defined()) << slot;
    EXPECT_TRUE(at::equal(gradient[-1], at::zeros_like(gradient[-1]))) << slot;
    EXPECT_GT(gradient[0].abs().sum().item<double>(), 0) << slot << " shows nothing";
  }
}

TEST(MoE, HandsRowsSortedByExpertAndThoseOfOneInTheOrderOfTokens) {
  const Mixture mixture;
  at::Tensor rows, counts;
  mixture.experts->add_pre_hook([&](Module&, Tensors inputs) {
    rows = inputs[0].detach(), counts = inputs[1];
    return inputs;
  });
  const at::Tensor x = tokens();
  mixture.moe->call({x});

  const auto all = x.detach().reshape({kTokens, kDim}).unbind(0);
  std::vector<at::Tensor> expected;
  std::vector<int64_t> of_expert(kExperts);
  for (int64_t expert = 0; expert < kExperts; ++expert) {
    for (const at::Tensor& token : all) {
      const std::vector<int64_t> chosen = chosen_for(mixture, token);
      if (std::ranges::find(chosen, expert) == chosen.end()) continue;
      expected.push_back(token);
      ++of_expert[static_cast<std::size_t>(expert)];
    }
  }
  EXPECT_TRUE(at::equal(rows, at::stack(expected)));
  EXPECT_TRUE(at::equal(counts, at::tensor(of_expert, at::kLong)));
}

TEST(MoE, CountsTokensOfEveryForward) {
  const Mixture mixture;
  mixture.moe->call({tokens()});
  const at::Tensor once = mixture.moe->tokens_per_expert.clone();
  EXPECT_EQ(once.sum().item<int64_t>(), kTokens * kChosen);
  mixture.moe->call({tokens()});
  EXPECT_TRUE(at::equal(mixture.moe->tokens_per_expert, once * 2));
}

TEST(MoE, ACopyCountsAndMovesByItself) {
  const Mixture mixture;
  const ModulePtr copy = mixture.moe->deep_copy();
  auto& copied = dynamic_cast<MoE&>(*copy);
  EXPECT_TRUE(at::equal(copied.bias, mixture.moe->bias));
  copied.bias.add_(1);
  EXPECT_TRUE(at::equal(copied.call({tokens()}), mixture.moe->call({tokens()}))) << "a bias of all favours none";
  copied.call({tokens()});
  EXPECT_EQ(mixture.moe->tokens_per_expert.sum().item<int64_t>(), kTokens * kChosen);
  EXPECT_EQ(mixture.moe->bias[0].item<double>(), 0);
}

// One expert a token, of three, of which the last gets none: (a, 0) goes to the first with the probability sigmoid(a), (0, a) to
// the second. Of 4 tokens, a factor of 1 gives each expert ceil(4 / 3) = 2.
struct Gated {
  std::shared_ptr<GroupedExperts> experts =
      std::make_shared<GroupedExperts>(some({3, 2, 2}, 1), some({3, 2, 2}, 2), some({3, 2, 2}, 3));
  std::shared_ptr<Linear> gate = std::make_shared<Linear>(at::tensor({1.0, 0.0, 0.0, 1.0, 0.0, 0.0}, at::kDouble).view({3, 2}));
  std::shared_ptr<Linear> shared = std::make_shared<Linear>(some({2, 2}, 5));
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
    logits.mul(some({kUsualModel.vocab}, 8)).sum().backward();
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

TEST(ExpertCapacity, IsAnEvenShareTimesTheFactorRoundedUp) {
  EXPECT_EQ(expert_capacity(1, 8, 4), 2);
  EXPECT_EQ(expert_capacity(1, 9, 4), 3);
  EXPECT_EQ(expert_capacity(1.25, 8, 4), 3);
  EXPECT_EQ(expert_capacity(0.5, 8, 4), 1);
}

// Halves have a capacity of their own, and not half of what is taken of all is taken of each: what this engine's layouts show.
TEST(ExpertCapacity, OfHalvesIsAnother) {
  const auto taken = [](const std::vector<int64_t>& chosen, const std::vector<double>& probabilities) {
    const at::Tensor experts = at::tensor(chosen, at::kLong);
    const auto copies = static_cast<int64_t>(chosen.size());
    return taken_by_experts(at::argsort(experts, /*stable=*/true), experts, at::tensor(probabilities, at::kDouble),
                            expert_capacity(1, copies, 2));
  };
  EXPECT_TRUE(at::equal(taken({0, 0, 0, 1}, {0.9, 0.5, 0.8, 0.7}), at::tensor({0, 2, 3}, at::kLong)));
  EXPECT_TRUE(at::equal(taken({0, 0}, {0.9, 0.5}), at::tensor({0}, at::kLong))) << "one of the first half";
  EXPECT_TRUE(at::equal(taken({0, 1}, {0.8, 0.7}), at::tensor({0, 1}, at::kLong))) << "both of the second";
}

// Held against a count of the copies before each one. Four probabilities alone, so that many are equal.
RC_GTEST_PROP(ExpertCapacity, TakesWhoHasFewerThanTheCapacityAhead, ()) {
  const auto copies = *rc::gen::inRange<std::size_t>(1, 40);
  const auto chosen = *rc::gen::container<std::vector<int64_t>>(copies, rc::gen::inRange<int64_t>(0, 5));
  const auto quarters = *rc::gen::container<std::vector<int64_t>>(copies, rc::gen::inRange<int64_t>(0, 4));
  const auto capacity = *rc::gen::inRange<int64_t>(0, 12);

  const at::Tensor experts = at::tensor(chosen, at::kLong), order = at::argsort(experts, /*stable=*/true);
  std::vector<int64_t> expected;
  for (const int64_t copy : std::vector<int64_t>(order.const_data_ptr<int64_t>(), order.const_data_ptr<int64_t>() + copies)) {
    const auto own = static_cast<std::size_t>(copy);
    int64_t ahead = 0;
    for (std::size_t other = 0; other < copies; ++other)
      ahead += chosen[other] == chosen[own] &&
               (quarters[other] > quarters[own] || (quarters[other] == quarters[own] && other < own));
    if (ahead < capacity) expected.push_back(copy);
  }
  const at::Tensor probabilities = at::tensor(quarters, at::kDouble) / 4;
  RC_ASSERT(at::equal(taken_by_experts(order, experts, probabilities, capacity), at::tensor(expected, at::kLong)));
}

// One product a group is the oracle; a group without rows has a gradient of zeros.
TEST(GroupedProducts, AreOneProductAGroup) {
  const std::vector<int64_t> counts{2, 0, 3};
  const at::Tensor rows = at::arange(20, at::kDouble).view({5, 4}).requires_grad_();
  const at::Tensor matrices = at::arange(24, at::kDouble).view({3, 2, 4}).requires_grad_();
  const at::Tensor out = grouped_products(rows, matrices, at::tensor(counts, at::kLong));

  const at::Tensor own_rows = rows.detach().clone().requires_grad_(), own_matrices = matrices.detach().clone().requires_grad_();
  std::vector<at::Tensor> products;
  const auto groups = own_rows.split_with_sizes(counts, 0);
  for (int64_t i = 0; i < 3; ++i) products.push_back(at::linear(groups[i], own_matrices[i]));
  const at::Tensor expected = at::cat(products, 0);

  EXPECT_TRUE(at::equal(out, expected));
  const at::Tensor weights = at::arange(10, at::kDouble).view({5, 2});
  out.backward(weights), expected.backward(weights);
  EXPECT_TRUE(at::equal(rows.grad(), own_rows.grad()));
  EXPECT_TRUE(at::equal(matrices.grad(), own_matrices.grad()));
  EXPECT_TRUE(at::equal(matrices.grad()[1], at::zeros({2, 4}, at::kDouble)));
}

}  // namespace
}  // namespace ordercheck::ranks
