// As native/arith/softmax.cpp: the maximum first, then the sum of exponentials on the grid.
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

struct Exponentials {
  Tensor shifted, values, sum;
};

Exponentials exponentials_of(const Tensor& x, int64_t dim, const char* what) {
  const Tensor largest = at::amax(x, {dim}, /*keepdim=*/true);
  Exponentials made;
  made.shifted = minus(x, at::where(at::isinf(largest), at::zeros({}, x.options()), largest));  // 0 for a row of -inf
  made.values = at::exp(made.shifted);
  made.sum = sum_of_terms(made.values, Term::itself, sum_bits(), at::IntArrayRef(dim), /*keepdim=*/true, what);
  return made;
}

Tensor softmax(const Tensor& x, int64_t dim, bool) {
  if (x.dim() == 0) return at::_softmax(x, dim, false);
  const Exponentials rows = exponentials_of(in_rows(x), dim, "aten::_softmax");
  return over(rows.values, rows.sum);
}

Tensor softmax_backward(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType) {
  const Tensor products = times(in_rows(gradient), y);
  const Tensor sum =
      sum_of_terms(products, Term::itself, sum_bits(), at::IntArrayRef(dim), /*keepdim=*/true, "aten::_softmax_backward_data");
  return minus(products, times(y, sum));
}

// Subtract the maximum first and the logarithm of the sum last, as a vocabulary-parallel loss does.
Tensor log_softmax(const Tensor& x, int64_t dim, bool) {
  const Exponentials rows = exponentials_of(in_rows(x), dim, "aten::_log_softmax");
  return minus(rows.shifted, at::log(rows.sum));
}

// Gradient of log_softmax: g - exp(y) * s, where s is the sum of the gradients g over a row. For a row with at most one nonzero
// gradient, (g / s - exp(y)) * s, as in native/arith/softmax.cpp.
Tensor log_softmax_backward(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType dtype) {
  if (y.dim() == 0) return at::_log_softmax_backward_data(gradient, y, dim, dtype);
  const Tensor s = sum_of_terms(gradient, Term::itself, sum_bits(), at::IntArrayRef(dim), /*keepdim=*/true,
                                "aten::_log_softmax_backward_data");
  const Tensor g = in_rows(gradient), e = in_rows(at::exp(y));
  const Tensor others = at::ne(g, 0).sum(dim, /*keepdim=*/true);
  // The row's only nonzero gradient. Not from `s`, which is rounded to the grid: a stock sum of one gradient and zeros is
  // exact. Adding 0.0 turns a negative zero into 0.
  const Tensor alone = at::add(at::sum(g, at::IntArrayRef(dim), /*keepdim=*/true), 0.0);
  const Tensor divisor = at::where(at::eq(alone, 0), at::ones({}, g.options()), alone);
  return at::where(at::le(others, 1), times(minus(over(g, divisor), e), alone), minus(g, times(e, s)));
}

Applies of_rows(Applies applies) {
  return [applies = std::move(applies)](const char* op, Arguments arguments) {
    return applies(op, arguments) && arguments[0].toTensor().dim() > 0;
  };
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_softmaxes() {
  using c10::KernelFunction;
  return {{{"_softmax", "_softmax.out"}, sums_of({0}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::softmax))},
          {{"_softmax_backward_data", "_softmax_backward_data.out"},
           sums_of({0, 1}),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::softmax_backward))},
          {{"_log_softmax", "_log_softmax.out"},
           on_device::of_rows(sums_of({0})),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::log_softmax))},
          {{"_log_softmax_backward_data", "_log_softmax_backward_data.out"},
           sums_of({0, 1}),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::log_softmax_backward))}};
}

}  // namespace ordercheck::ranks
