#include "native/transform/checkpoint_wrapper.h"

#include <vector>

#include "native/graph/autocast.h"
#include "native/graph/saved_tensors.h"
#include "unit/native/arith/exactly.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

class Reentrant : public testing::Test {
 protected:
  Reentrant() : rank_(0, {}, nullptr, {}), scope_(rank_) { install_saved_tensor_hooks(); }
  RankState rank_;
  RankScope scope_;
};

Recorded reentrantly(const Region& region) {
  return [region](const Tensors& in) { return recompute_reentrantly(region, in); };
}

TEST_F(Reentrant, GradientsAreThoseOfTheRegionItself) {
  const at::Tensor x = variable(numbers({3, 4}, 1)), y = variable(numbers({3, 4}, 2)), w = variable(numbers({4, 4}, 3));
  const Region region = [w](const Tensors& in) { return in[0].mm(w).sigmoid() * in[1]; };
  EXPECT_TRUE(same_outcome(outcome_of(region, {x, y}, {w}), outcome_of(reentrantly(region), {x, y}, {w})));
}

// What it is handed reaches the region as it is, integers too; in backward as leaves that require what they required.
TEST_F(Reentrant, AnInputWithoutAGradientGetsNone) {
  const at::Tensor x = variable(numbers({4}, 1)), constant = numbers({4}, 2), chosen = at::tensor({2, 0}, at::kLong);
  std::vector<bool> required;
  const Region region = [&](const Tensors& in) {
    required.clear();
    for (const at::Tensor& input : in) required.push_back(input.requires_grad());
    return (in[0] * in[1]).index_select(0, in[2]);
  };
  const Outcome outcome = outcome_of(reentrantly(region), {x, constant, chosen}, {});
  EXPECT_THAT(required, testing::ElementsAre(true, false, false));
  EXPECT_FALSE(outcome.gradients[1].defined());
  EXPECT_TRUE(same_outcome(outcome_of(region, {x, constant, chosen}, {}), outcome));
}

TEST_F(Reentrant, RunsTheRegionTwiceAndSaysSo) {
  const at::Tensor x = variable(at::ones({3}, at::kDouble));
  std::vector<Phase> phases;
  std::vector<bool> recorded;
  rank_.set_phase(0, Phase::forward);
  const at::Tensor y = recompute_reentrantly(
      [&](const Tensors& in) {
        phases.push_back(rank_.phase());
        recorded.push_back(at::GradMode::is_enabled());
        return in[0].exp();
      },
      {x});
  EXPECT_THAT(phases, testing::ElementsAre(Phase::forward));
  y.sum().backward();
  EXPECT_THAT(phases, testing::ElementsAre(Phase::forward, Phase::recompute));
  EXPECT_THAT(recorded, testing::ElementsAre(false, true));
  EXPECT_EQ(rank_.phase(), Phase::forward);
}

// The backward inside backward is no recomputation: its collectives and products are backward's.
TEST_F(Reentrant, PullsBackInBackward) {
  const at::Tensor x = variable(at::ones({3}, at::kDouble));
  Phase phase = Phase::build;
  const at::Tensor y = recompute_reentrantly(
      [&](const Tensors& in) {
        const at::Tensor inside = in[0].exp();
        if (inside.requires_grad()) inside.register_hook([&](const at::Tensor&) { phase = rank_.phase(); });
        return inside.exp();
      },
      {x});
  y.sum().backward();
  EXPECT_EQ(phase, Phase::backward);
}

TEST_F(Reentrant, KeepsOnlyTheInputsForBackward) {
  const at::Tensor x = variable(at::ones({1000}, at::kDouble));
  {
    const at::Tensor y = recompute_reentrantly([](const Tensors& in) { return in[0].exp().exp().exp(); }, {x});
    EXPECT_EQ(rank_.saved_for_backward.held(), 8000);
    y.sum().backward();
  }
  EXPECT_EQ(rank_.saved_for_backward.held(), 0);
}

// As in PyTorch, where it is warned of: what the region captured needs a gradient, and gets none.
TEST_F(Reentrant, WithoutAnInputThatRequiresAGradientThereIsNone) {
  const at::Tensor w = variable(numbers({4}, 1));
  const at::Tensor y = recompute_reentrantly([w](const Tensors& in) { return in[0] * w; }, {numbers({4}, 2)});
  EXPECT_FALSE(y.requires_grad());
}

// As in PyTorch: each backward through the graph that was kept runs the region again, and adds to every leaf once.
TEST_F(Reentrant, EveryBackwardAddsOnce) {
  const at::Tensor x = variable(numbers({4}, 1)), w = variable(numbers({4}, 2));
  int runs = 0;
  const Region region = [&, w](const Tensors& in) {
    ++runs;
    return in[0] * w;
  };
  const at::Tensor y = recompute_reentrantly(region, {x}).sum();
  y.backward({}, /*retain_graph=*/true);
  y.backward();
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(same_bits(x.grad(), w.detach() * 2));
  EXPECT_TRUE(same_bits(w.grad(), x.detach() * 2));
  EXPECT_THROW(y.backward(), c10::Error) << "the graph was not kept the second time";
}

// Weights that both regions use get the sum of both, in another order than without regions: exact arithmetic has no order.
TEST_F(Reentrant, ARegionMayContainAnother) {
  const Exactly exact(16);  // its sums pass the range of the usual grid
  const at::Tensor x = variable(numbers({4, 4}, 1)), w = variable(numbers({4, 4}, 2));
  const Region inner = [w](const Tensors& in) { return in[0].mm(w).sin(); };
  const auto outer = [w](const Recorded& within) {
    return Region([w, within](const Tensors& in) { return within({in[0].mm(w).cos()}).mm(w); });
  };
  const Outcome plain = outcome_of(outer(inner), {x}, {w});
  const Outcome nested = outcome_of(reentrantly(outer(reentrantly(inner))), {x}, {w});
  EXPECT_TRUE(same_bits(nested.value, plain.value));
  for (const std::size_t i : {0, 1}) EXPECT_TRUE(same_bits(nested.gradients[i], plain.gradients[i])) << i;
}

TEST_F(Reentrant, RunsAgainUnderTheAutocastOfForward) {
  const at::Tensor x = variable(numbers({2, 4}, 1, at::kFloat)), w = numbers({4, 4}, 2, at::kFloat);
  std::vector<at::ScalarType> dtypes;
  const Region region = [&, w](const Tensors& in) {
    const at::Tensor out = in[0].mm(w);
    dtypes.push_back(out.scalar_type());
    return out;
  };
  at::Tensor y;
  {
    const AutocastScope cast({.on = true, .dtype = at::kBFloat16});
    y = recompute_reentrantly(region, {x});
  }
  y.sum().backward();
  EXPECT_THAT(dtypes, testing::ElementsAre(at::kBFloat16, at::kBFloat16));
  EXPECT_FALSE(autocast_now().on);
}

TEST_F(Reentrant, AnExceptionOfTheSecondRunIsPassedOnAndThePhaseRestored) {
  const at::Tensor x = variable(at::ones({3}, at::kDouble));
  int runs = 0;
  const at::Tensor y = recompute_reentrantly(
      [&](const Tensors& in) {
        if (++runs == 2) throw std::length_error("too long");
        return in[0].exp();
      },
      {x});
  rank_.set_phase(0, Phase::forward);
  EXPECT_THROW(y.sum().backward(), std::length_error);
  EXPECT_EQ(rank_.phase(), Phase::forward);
}

}  // namespace
}  // namespace ordercheck::ranks
