#include "ranks/model/moe.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/model/layers.h"

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

}  // namespace
}  // namespace ordercheck::ranks
