#include "native/transform/recompute.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "native/graph/saved_tensors.h"

namespace ordercheck::ranks {
namespace {

class Recompute : public testing::TestWithParam<bool> {
 protected:
  Recompute() : rank_(0, {}, nullptr, {}), scope_(rank_) { install_saved_tensor_hooks(); }
  RecomputeOptions options() const { return {.early_stop = GetParam()}; }
  RankState rank_;
  RankScope scope_;
};

TEST_P(Recompute, GradientsAreThoseOfTheRegionItself) {
  const auto gradients = [&](bool recomputed) {
    at::Tensor x = at::arange(4, at::kDouble).set_requires_grad(true);
    at::Tensor w = at::full({4}, 0.5, at::kDouble).set_requires_grad(true);
    const Region region = [w](const Tensors& in) { return (in[0] * w).exp() * w; };
    (recomputed ? recompute_in_backward(region, {x}, options()) : region({x})).sum().backward();
    return std::pair{x.grad(), w.grad()};
  };
  EXPECT_TRUE(at::equal(gradients(true).first, gradients(false).first));
  EXPECT_TRUE(at::equal(gradients(true).second, gradients(false).second));
}

TEST_P(Recompute, KeepsOnlyTheInputsForBackward) {
  at::Tensor x = at::ones({1000}, at::kDouble).set_requires_grad(true);
  const at::Tensor y = recompute_in_backward([](const Tensors& in) { return in[0].exp().exp().exp(); }, {x}, options());
  EXPECT_EQ(rank_.saved_for_backward.held(), 8000);
}

// Also what operators save of their own results, whose history leads back to who saved them.
TEST_P(Recompute, LetsGoOfEverythingAfterBackward) {
  const at::Tensor x = at::ones({1000}, at::kDouble).set_requires_grad(true);
  const at::Tensor w = at::ones({1000}, at::kDouble).set_requires_grad(true);
  std::weak_ptr<int> captured;
  {
    const auto token = std::make_shared<int>(0);
    captured = token;
    const Region region = [w, token](const Tensors& in) { return in[0].exp().mul(w).sigmoid().mul(w).exp(); };
    recompute_in_backward(region, {x}, options()).sum().backward();
  }
  EXPECT_TRUE(captured.expired()) << "the region is still held by somebody";
  EXPECT_EQ(rank_.saved_for_backward.held(), 0);
}

TEST_P(Recompute, RunsTheRegionOnceMoreAndSaysSo) {
  int runs = 0;
  Phase phase_of_last = Phase::build;
  at::Tensor x = at::ones({3}, at::kDouble).set_requires_grad(true);
  recompute_in_backward(
      [&](const Tensors& in) {
        ++runs;
        phase_of_last = rank_.phase();
        return in[0].exp().exp();
      },
      {x}, options())
      .sum()
      .backward();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(phase_of_last, Phase::recompute);
  EXPECT_NE(rank_.phase(), Phase::recompute);
}

TEST_P(Recompute, ARegionThatSavesSomethingElseIsRefused) {
  int runs = 0;
  at::Tensor x = at::ones({3}, at::kDouble).set_requires_grad(true);
  const at::Tensor y = recompute_in_backward(
      [&](const Tensors& in) { return ++runs == 1 ? in[0].exp().exp() : at::cat({in[0], in[0]}).exp().exp(); }, {x}, options());
  EXPECT_THROW(y.sum().backward(), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(EarlyStop, Recompute, testing::Bool());

}  // namespace
}  // namespace ordercheck::ranks
