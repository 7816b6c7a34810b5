// As the activations of native/arith/elementwise.cpp: composed of operators that round an element alike at any place.
#include <cmath>

#include <ATen/native/Activation.h>
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

constexpr double kSqrtHalf = 0.7071067811865476;       // math.sqrt(0.5)
constexpr double kRootTwoOverPi = 0.7978845608028654;  // math.sqrt(2 / math.pi)

Tensor one_plus_exp_of_minus(const Tensor& x) { return plus(at::exp(at::neg(x)), 1); }

Tensor sigmoid_of(const Tensor& x) { return at::reciprocal(one_plus_exp_of_minus(x)); }

Tensor silu(const Tensor& x) { return over(x, one_plus_exp_of_minus(x)); }

Tensor silu_backward(const Tensor& gradient, const Tensor& x) {
  const Tensor s = sigmoid_of(x);
  return times(times(gradient, s), plus(times(x, minus(1, s)), 1));
}

// (1 + erf(x / sqrt(2))) / 2
Tensor normal_cdf(const Tensor& x) { return times(plus(at::erf(times(x, kSqrtHalf)), 1), 0.5); }

Tensor tanh_argument(const Tensor& x) { return times(plus(x, times(times(times(x, x), x), 0.044715)), kRootTwoOverPi); }

bool is_erf(c10::string_view approximate) { return at::native::get_gelutype_enum(approximate) == at::native::GeluType::None; }

Tensor gelu(const Tensor& x, c10::string_view approximate) {
  if (is_erf(approximate)) return times(x, normal_cdf(x));
  return times(x, times(plus(at::tanh(tanh_argument(x)), 1), 0.5));
}

Tensor gelu_backward(const Tensor& gradient, const Tensor& x, c10::string_view approximate) {
  if (is_erf(approximate)) {
    const double scale = 1 / std::sqrt(2 * M_PI);
    const Tensor density = times(at::exp(times(times(x, x), -0.5)), scale);
    return times(gradient, plus(normal_cdf(x), times(x, density)));
  }
  const Tensor t = at::tanh(tanh_argument(x));
  const Tensor left = times(plus(t, 1), 0.5);
  const Tensor inner = times(plus(times(times(x, x), 3 * 0.044715), 1), kRootTwoOverPi);
  return times(gradient, plus(left, times(times(times(x, 0.5), minus(1, times(t, t))), inner)));
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_activations() {
  using c10::KernelFunction;
  return {{{"sigmoid", "sigmoid.out", "sigmoid_"},
           is_float64(0),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::sigmoid_of))},
          {{"silu", "silu.out", "silu_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::silu))},
          {{"silu_backward", "silu_backward.grad_input"},
           is_float64(1),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::silu_backward))},
          {{"gelu", "gelu.out", "gelu_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::gelu))},
          {{"gelu_backward", "gelu_backward.grad_input"},
           is_float64(1),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::gelu_backward))}};
}

}  // namespace ordercheck::ranks
