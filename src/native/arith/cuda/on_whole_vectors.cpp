// As native/arith/elementwise.cpp: operators without a composition, run on whole vectors.
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/whole_vectors.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

Tensor float64_of(const Tensor& x) {
  if (x.scalar_type() == at::kDouble) return x;
  return at::empty(x.sizes(), x.options().dtype(at::kDouble)).copy_(x);
}

Tensor exp2(const Tensor& x) {
  return on_whole_vectors(x, [](const Tensor& t) { return at::exp2(t); });
}
Tensor mish(const Tensor& x) {
  return on_whole_vectors(x, [](const Tensor& t) { return at::mish(t); });
}
Tensor softplus(const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  return on_whole_vectors(x, [&](const Tensor& t) { return at::softplus(t, beta, threshold); });
}
Tensor elu(const Tensor& x, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  return on_whole_vectors(x, [&](const Tensor& t) { return at::elu(t, alpha, scale, input_scale); });
}

Tensor atan2(const Tensor& a, const Tensor& b) {
  return on_whole_vectors(float64_of(a), float64_of(b), [](const Tensor& x, const Tensor& y) { return at::atan2(x, y); });
}
Tensor hypot(const Tensor& a, const Tensor& b) {
  return on_whole_vectors(float64_of(a), float64_of(b), [](const Tensor& x, const Tensor& y) { return at::hypot(x, y); });
}
Tensor logaddexp(const Tensor& a, const Tensor& b) {
  return on_whole_vectors(float64_of(a), float64_of(b), [](const Tensor& x, const Tensor& y) { return at::logaddexp(x, y); });
}
Tensor power_of(const Tensor& a, const Tensor& b) {
  return on_whole_vectors(float64_of(a), float64_of(b), [](const Tensor& x, const Tensor& y) { return at::pow(x, y); });
}
Tensor power_of_number(const Scalar& base, const Tensor& exponent) {
  return in_rows(power_of(at::full({}, base.toDouble(), exponent.options()), exponent));  // ATen returns a contiguous tensor
}

Tensor softplus_backward(const Tensor& gradient, const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  return on_whole_vectors(gradient, x,
                          [&](const Tensor& g, const Tensor& t) { return at::softplus_backward(g, t, beta, threshold); });
}
Tensor mish_backward(const Tensor& gradient, const Tensor& x) {
  return on_whole_vectors(gradient, x, [](const Tensor& g, const Tensor& t) { return at::mish_backward(g, t); });
}
Tensor elu_backward(const Tensor& gradient, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, bool is_result,
                    const Tensor& x) {
  return on_whole_vectors(gradient, x, [&](const Tensor& g, const Tensor& t) {
    return at::elu_backward(g, alpha, scale, input_scale, is_result, t);
  });
}

bool are_float64_together(const char*, Arguments arguments) {
  return make_float64(arguments[0].toTensor(), arguments[1].toTensor());
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_on_whole_vectors() {
  using c10::KernelFunction;
  const Applies both = on_device::are_float64_together;
  return {{{"exp2", "exp2.out", "exp2_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::exp2))},
          {{"mish", "mish.out", "mish_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::mish))},
          {{"softplus", "softplus.out"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::softplus))},
          {{"elu", "elu.out", "elu_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::elu))},
          {{"atan2", "atan2.out", "atan2_"}, both, KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::atan2))},
          {{"hypot", "hypot.out", "hypot_"}, both, KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::hypot))},
          {{"logaddexp", "logaddexp.out"}, both, KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::logaddexp))},
          {{"pow.Tensor_Tensor", "pow.Tensor_Tensor_out", "pow_.Tensor"},
           both,
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::power_of))},
          {{"pow.Scalar", "pow.Scalar_out"},
           is_float64(1),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::power_of_number))},
          {{"softplus_backward", "softplus_backward.grad_input"},
           is_float64(1),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::softplus_backward))},
          {{"mish_backward"}, is_float64(1), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::mish_backward))},
          {{"elu_backward", "elu_backward.grad_input"},
           is_float64(5),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::elu_backward))}};
}

}  // namespace ordercheck::ranks
