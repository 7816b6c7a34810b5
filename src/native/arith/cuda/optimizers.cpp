// As native/arith/optimizers.cpp: fused AdamW, one rounding per step, and the clipping factor.
#include <cmath>

#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

using at::TensorList;
using Optional = std::optional<Tensor>;

// std::pow is not portable: its last bit depends on the C library.
double whole_power(double base, int64_t exponent) {
  double product = 1;
  for (int64_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

double one_number_in(const Tensor& tensor) {
  TORCH_CHECK(tensor.numel() == 1, "aten::_fused_adamw_: expected one number, got ", tensor.numel());
  return tensor.item().toDouble();
}

void fused_adamw(TensorList values, TensorList gradients, TensorList firsts, TensorList seconds, TensorList, TensorList steps,
                 double lr, double beta1, double beta2, double weight_decay, double eps, bool, bool maximize, const Optional&,
                 const Optional&) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto step = static_cast<int64_t>(one_number_in(steps[i]));
    const double decay = 1 - lr * weight_decay;
    const double debias2 = 1 - whole_power(beta2, step);
    const double rate = lr / (1 - whole_power(beta1, step));
    const Tensor g = maximize ? at::neg(gradients[i]) : gradients[i];
    const Tensor first = at::add(times(firsts[i], beta1), times(g, 1 - beta1));
    const Tensor second = at::add(times(seconds[i], beta2), times(times(g, g), 1 - beta2));
    const Tensor divisor = plus(root(over(second, debias2)), eps);
    values[i].copy_(at::sub(times(values[i], decay), times(over(first, divisor), rate)));
    firsts[i].copy_(first);
    seconds[i].copy_(second);
  }
}

bool updates_exactly(const char* op, Arguments arguments) {
  bool exact = true;
  for (const Tensor& value : arguments[0].toTensorVector()) exact = takes_exact_path(op, value) && exact;
  if (!exact) return false;
  if (arguments[11].toBool()) refuse_exact(op, "with amsgrad");
  if (!arguments[13].isNone() || !arguments[14].isNone()) refuse_exact(op, "with a gradient scaler");
  return true;
}

// clip_grad_norm_ clamps its factor to at most 1: round it down to a power of two.
Tensor clamp(const Tensor& x, const std::optional<Scalar>& low, const std::optional<Scalar>& high) {
  Tensor result = at::clamp(x, low, high);
  if (x.dim() != 0 || low || !high || high->toDouble() != 1) return result;
  const double factor = result.item<double>();
  if (!(factor > 0) || !std::isfinite(factor)) return result;
  return result.fill_(std::exp2(std::ilogb(factor)));
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_optimizers() {
  using c10::KernelFunction;
  return {
      {{"_fused_adamw_"},
       on_device::updates_exactly,
       KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::fused_adamw))},
      {{"clamp", "clamp.out", "clamp_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::clamp))}};
}

}  // namespace ordercheck::ranks
