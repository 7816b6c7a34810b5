#include "ranks/arith/softmax.h"

#include <cmath>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/kernel_set.h"
#include "ranks/arith/snap.h"
#include "ranks/arith/steps.h"
#include "ranks/arith/sum_terms.h"

namespace ordercheck::ranks {

using at::Tensor;

Exponentials exponentials(const Tensor& x, int64_t dim, const char* what) {
  Tensor largest = in_rows(at::cpu::amax(x, {dim}, /*keepdim=*/true));
  double* of_row = largest.mutable_data_ptr<double>();
  for (int64_t i = 0; i < largest.numel(); ++i) {
    if (std::isinf(of_row[i])) of_row[i] = 0;  // a row of -inf
  }
  Exponentials made;
  made.shifted = steps::sub(x, largest);
  made.values = at::cpu::exp(made.shifted);
  made.sum = sum_terms(made.values, Term::itself, kSumBits, at::IntArrayRef(dim), /*keepdim=*/true, what);
  return made;
}

Tensor softmax_gradient(const Tensor& gradient, const Tensor& y, int64_t dim, const char* what) {
  const Tensor products = steps::mul(gradient, y);
  const Tensor sum = sum_terms(products, Term::itself, kSumBits, at::IntArrayRef(dim), /*keepdim=*/true, what);
  return steps::sub(products, steps::mul(y, sum));
}

namespace {

Tensor exact_softmax(const Tensor& x, int64_t dim) {
  if (x.dim() == 0) return at::cpu::_softmax(x, dim, false);
  const Exponentials rows = exponentials(x, dim, "aten::_softmax");
  return steps::div(rows.values, rows.sum);
}

Tensor softmax(const Tensor& x, int64_t dim, bool half_to_float) {
  return takes_exact_path("aten::_softmax", x) ? exact_softmax(x, dim) : at::cpu::_softmax(x, dim, half_to_float);
}

Tensor& softmax_out(const Tensor& x, int64_t dim, bool half_to_float, Tensor& out) {
  if (!takes_exact_path("aten::_softmax", x)) return at::cpu::_softmax_outf(x, dim, half_to_float, out);
  return steps::put(out, exact_softmax(x, dim));
}

Tensor softmax_backward(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType dtype) {
  constexpr const char* op = "aten::_softmax_backward_data";
  if (!takes_exact_path(op, gradient, y)) return at::cpu::_softmax_backward_data(gradient, y, dim, dtype);
  return softmax_gradient(gradient, y, dim, op);
}

Tensor& softmax_backward_out(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType dtype, Tensor& out) {
  constexpr const char* op = "aten::_softmax_backward_data";
  if (!takes_exact_path(op, gradient, y)) return at::cpu::_softmax_backward_data_outf(gradient, y, dim, dtype, out);
  return steps::put(out, softmax_gradient(gradient, y, dim, op));
}

// The logarithm is taken off last, which is what a loss on a split vocabulary does too.
Tensor log_softmax(const Tensor& x, int64_t dim, bool half_to_float) {
  if (!takes_exact_path("aten::_log_softmax", x) || x.dim() == 0) return at::cpu::_log_softmax(x, dim, half_to_float);
  const Exponentials rows = exponentials(x, dim, "aten::_log_softmax");
  return steps::sub(rows.shifted, at::cpu::log(rows.sum));
}

// g - exp(y) * sum(g). Where no row has more than one gradient that is not zero, as with one label a row, it is written
// (g / s - exp(y)) * s: that is (one_hot - exp(y)) * s to the bit, as a loss on a split vocabulary computes it.
Tensor log_softmax_backward(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType dtype) {
  constexpr const char* op = "aten::_log_softmax_backward_data";
  if (!takes_exact_path(op, gradient, y)) return at::cpu::_log_softmax_backward_data(gradient, y, dim, dtype);
  const Tensor nonzero = at::cpu::ne(gradient, at::Scalar(0));
  const Tensor counts = in_rows(at::cpu::sum(nonzero, at::IntArrayRef(dim), /*keepdim=*/true));
  const int64_t* count = counts.const_data_ptr<int64_t>();
  if (std::any_of(count, count + counts.numel(), [](int64_t of_row) { return of_row > 1; })) {
    const Tensor sum = sum_terms(gradient, Term::itself, kSumBits, at::IntArrayRef(dim), /*keepdim=*/true, op);
    return steps::sub(gradient, steps::mul(at::cpu::exp(y), sum));
  }
  const Tensor sum = in_rows(at::cpu::sum(gradient, at::IntArrayRef(dim), /*keepdim=*/true));
  Tensor divisor = at::detail::empty_cpu(sum.sizes(), sum.options());
  const double* of_row = sum.const_data_ptr<double>();
  double* by = divisor.mutable_data_ptr<double>();
  for (int64_t i = 0; i < sum.numel(); ++i) by[i] = of_row[i] == 0 ? 1 : of_row[i];
  return steps::mul(steps::sub(steps::div(gradient, divisor), at::cpu::exp(y)), sum);
}

}  // namespace

void add_softmax(KernelSet& kernels) {
  kernels.add("_softmax", TORCH_FN(softmax));
  kernels.add("_softmax.out", TORCH_FN(softmax_out));
  kernels.add("_softmax_backward_data", TORCH_FN(softmax_backward));
  kernels.add("_softmax_backward_data.out", TORCH_FN(softmax_backward_out));
  kernels.add("_log_softmax", TORCH_FN(log_softmax));
  kernels.add("_log_softmax_backward_data", TORCH_FN(log_softmax_backward));
}

}  // namespace ordercheck::ranks
