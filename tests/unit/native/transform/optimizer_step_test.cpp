// AdamW against the same formula in scalar IEEE arithmetic, a step's result on the grid of products: what a record's digest holds
// must not be up to the processor.
#include "native/transform/optimizer_step.h"

#include <cmath>
#include <memory>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

struct Scalar {
  double value, first = 0, second = 0;
};

void update(Scalar& x, double gradient, const OptimizerOptions& o, double beta1_power, double beta2_power) {
  x.first = x.first * o.beta1 + gradient * (1 - o.beta1);
  x.second = x.second * o.beta2 + gradient * gradient * (1 - o.beta2);
  x.value *= 1 - o.learning_rate * o.weight_decay;
  x.value -= x.first / (std::sqrt(x.second / (1 - beta2_power)) + o.epsilon) * (o.learning_rate / (1 - beta1_power));
  x.value = std::ldexp(std::nearbyint(std::ldexp(x.value, product_bits())), -product_bits());
}

TEST(Optimizer, AdamWIsIeeeArithmeticToTheLastBit) {
  constexpr int64_t kSize = 20'000;
  auto parameter = std::make_shared<Parameter>();
  // Below 2^11: a parameter beyond it is rounded to a coarser grid.
  const at::Tensor initial = at::arange(kSize, at::kDouble) / 70.0;
  parameter->tensor = initial.clone().requires_grad_(true);
  const OptimizerOptions options;
  const Exactly exact;
  Optimizer optimizer(options, Mesh{}, {parameter});
  std::vector<Scalar> expected;
  for (int64_t i = 0; i < kSize; ++i) expected.push_back({.value = initial.const_data_ptr<double>()[i]});
  double beta1_power = 1, beta2_power = 1;
  for (int step = 1; step <= 3; ++step) {
    const at::Tensor gradient = (at::arange(kSize, at::kDouble) - 9'000.0) / (3.0 + step);
    parameter->tensor.mutable_grad() = gradient;
    optimizer.step(1.0);
    beta1_power *= options.beta1;
    beta2_power *= options.beta2;
    for (int64_t i = 0; i < kSize; ++i)
      update(expected[static_cast<std::size_t>(i)], gradient.const_data_ptr<double>()[i], options, beta1_power, beta2_power);
  }
  int apart = 0;
  for (int64_t i = 0; i < kSize; ++i)
    apart += parameter->tensor.detach().const_data_ptr<double>()[i] != expected[static_cast<std::size_t>(i)].value;
  EXPECT_EQ(apart, 0) << "of " << kSize << " numbers";
}

// torch.nn.utils.clip_grad_norm_ divides by the norm and 1e-6 more. One rank is wrong alike, so no comparison of layouts shows it.
TEST(Optimizer, ClipsByTheNormAndAMillionthMore) {
  constexpr double kGradient = 0x1p-10, kRate = 1024;  // a small norm, so that a millionth counts
  auto parameter = std::make_shared<Parameter>();
  parameter->tensor = at::zeros({1}, at::kDouble).requires_grad_(true);
  parameter->tensor.mutable_grad() = at::full({1}, kGradient, at::kDouble);
  const double clip = kGradient / 2;
  Optimizer optimizer({.adamw = false, .learning_rate = kRate, .clip = clip}, Mesh{}, {parameter});
  optimizer.step(optimizer.gradient_norm());
  static_assert(kGradient * kRate == 1, "so that no product rounds");
  EXPECT_EQ(parameter->tensor.detach().item<double>(), -clip / (kGradient + 1e-6));
}

// A parameter without a gradient is left as it is, and where none has one nothing is asked of any operator.
TEST(Optimizer, LeavesWhatHasNoGradient) {
  auto parameter = std::make_shared<Parameter>();
  parameter->tensor = at::ones({3}, at::kDouble).requires_grad_(true);
  for (const bool adamw : {false, true}) {
    Optimizer optimizer({.adamw = adamw}, Mesh{}, {parameter});
    EXPECT_EQ(optimizer.gradient_norm(), 0);
    EXPECT_NO_THROW(optimizer.step(0.0));
  }
  EXPECT_TRUE(at::equal(parameter->tensor.detach(), at::ones({3}, at::kDouble)));
}

// One parameter, and the gradients of as many backwards as were run.
class Trained {
 public:
  explicit Trained(const OptimizerOptions& options) {
    parameter->tensor = at::arange(1, 5, at::kDouble).requires_grad_(true);
    optimizer = std::make_shared<Optimizer>(options, Mesh{}, std::vector<ParameterPtr>{parameter});
    optimizer->loss_scale = 4;
  }
  void backward(double gradient) const { (parameter->tensor * gradient * optimizer->loss_scale).sum().backward(); }
  void step_behind() const {
    optimizer->step(optimizer->gradient_norm());
    optimizer->clear_gradients();
  }
  const at::Tensor& gradient() const { return parameter->tensor.grad(); }
  at::Tensor value() const { return parameter->tensor.detach(); }

  ParameterPtr parameter = std::make_shared<Parameter>();
  std::shared_ptr<Optimizer> optimizer;
};

TEST(StepInBackward, IsTheStepBehindBackward) {
  const Exactly exact;
  for (const bool adamw : {false, true}) {
    const Trained behind({.adamw = adamw}), within({.adamw = adamw});
    Optimizer::step_in_backward(within.optimizer);
    for (const double gradient : {0.5, -2.0}) {
      behind.backward(gradient);
      behind.step_behind();
      within.backward(gradient);
      EXPECT_TRUE(at::equal(within.value(), behind.value()));
      within.step_behind();
      EXPECT_TRUE(at::equal(within.value(), behind.value())) << "behind backward nothing is left to do";
    }
  }
}

TEST(StepInBackward, LeavesNoGradientToClip) {
  const Exactly exact;
  const OptimizerOptions clipped{.adamw = false, .learning_rate = 1, .clip = 0.5};
  const Trained behind(clipped), within(clipped);
  Optimizer::step_in_backward(within.optimizer);
  for (const Trained* trained : {&behind, &within}) trained->backward(3);
  EXPECT_EQ(behind.optimizer->gradient_norm(), 6);
  EXPECT_FALSE(within.gradient().defined());
  EXPECT_EQ(within.optimizer->gradient_norm(), 0);
  for (const Trained* trained : {&behind, &within}) trained->step_behind();
  EXPECT_EQ(within.value()[0].item<double>(), 1 - 3) << "as it came";
  EXPECT_FALSE(at::equal(within.value(), behind.value()));
}

TEST(StepInBackward, TakesAStepInEachBackward) {
  const Exactly exact;
  const Trained behind({}), within({});
  Optimizer::step_in_backward(within.optimizer);
  for (const double gradient : {0.5, -2.0})
    for (const Trained* trained : {&behind, &within}) trained->backward(gradient);
  for (const Trained* trained : {&behind, &within}) trained->step_behind();
  EXPECT_FALSE(at::equal(within.value(), behind.value()));
}

TEST(StepInBackward, LeavesWhatIsFrozen) {
  const auto frozen = std::make_shared<Parameter>();
  frozen->tensor = at::ones({3}, at::kDouble);
  const auto optimizer = std::make_shared<Optimizer>(OptimizerOptions{}, Mesh{}, std::vector<ParameterPtr>{frozen});
  EXPECT_NO_THROW(Optimizer::step_in_backward(optimizer));
}

}  // namespace
}  // namespace ordercheck::ranks
