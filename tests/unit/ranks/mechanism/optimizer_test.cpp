// AdamW against the same formula in scalar IEEE arithmetic, a step's result on the grid of products: what a record's digest holds
// must not be up to the processor.
#include "ranks/mechanism/optimizer.h"

#include <cmath>
#include <memory>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "unit/ranks/arith/exactly.h"

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
    optimizer.step(1.0, 1.0);
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
  optimizer.step(1.0, optimizer.gradient_norm(1.0));
  static_assert(kGradient * kRate == 1, "so that no product rounds");
  EXPECT_EQ(parameter->tensor.detach().item<double>(), -clip / (kGradient + 1e-6));
}

// A parameter without a gradient is left as it is, and where none has one nothing is asked of any operator.
TEST(Optimizer, LeavesWhatHasNoGradient) {
  auto parameter = std::make_shared<Parameter>();
  parameter->tensor = at::ones({3}, at::kDouble).requires_grad_(true);
  for (const bool adamw : {false, true}) {
    Optimizer optimizer({.adamw = adamw}, Mesh{}, {parameter});
    EXPECT_EQ(optimizer.gradient_norm(1.0), 0);
    EXPECT_NO_THROW(optimizer.step(1.0, 0.0));
  }
  EXPECT_TRUE(at::equal(parameter->tensor.detach(), at::ones({3}, at::kDouble)));
}

}  // namespace
}  // namespace ordercheck::ranks
