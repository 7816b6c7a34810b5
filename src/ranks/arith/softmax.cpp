#include "ranks/arith/softmax.h"

#include <cmath>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/WrapDimUtils.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/kernel_set.h"
#include "ranks/arith/snap.h"
#include "ranks/arith/steps.h"
#include "ranks/arith/sum_terms.h"
#include "ranks/arith/wide_vectors.h"

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
  made.sum = sum_terms(made.values, Term::itself, sum_bits(), at::IntArrayRef(dim), /*keepdim=*/true, what);
  return made;
}

namespace {

ORDERCHECK_WIDE_VECTORS
void multiply(const double* a, const double* b, int64_t count, double* out) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}

// x - y * s, a sum for each row.
ORDERCHECK_WIDE_VECTORS
void take_off(const double* y, const double* sums, int64_t rows, int64_t length, double* x) {
  for (int64_t row = 0; row < rows; ++row, x += length, y += length) {
    const double sum = sums[row];
#pragma omp simd
    for (int64_t i = 0; i < length; ++i) x[i] = x[i] - y[i] * sum;
  }
}

// Of contiguous rows along the last dim: the same operations, without a tensor for each.
Tensor gradient_by_rows(const Tensor& gradient, const Tensor& y, const char* what) {
  Tensor out = at::detail::empty_cpu(gradient.sizes(), gradient.options());
  double* const to = out.mutable_data_ptr<double>();
  const double* const weights = y.const_data_ptr<double>();
  multiply(gradient.const_data_ptr<double>(), weights, out.numel(), to);
  const Tensor sums = sum_terms(out, Term::itself, sum_bits(), at::IntArrayRef(-1), /*keepdim=*/true, what);
  take_off(weights, sums.const_data_ptr<double>(), sums.numel(), out.size(-1), to);
  return out;
}

}  // namespace

Tensor softmax_gradient(const Tensor& gradient, const Tensor& y, int64_t dim, const char* what) {
  const Tensor g = in_rows(gradient);
  const bool by_rows = at::maybe_wrap_dim(dim, g.dim()) + 1 == g.dim() && y.is_contiguous() && y.sizes() == g.sizes();
  if (by_rows) return gradient_by_rows(g, y, what);
  const Tensor products = steps::mul(g, y);
  const Tensor sum = sum_terms(products, Term::itself, sum_bits(), at::IntArrayRef(dim), /*keepdim=*/true, what);
  return steps::sub(products, steps::mul(y, sum));
}

namespace {

Tensor exact_softmax(const Tensor& x, int64_t dim) {
  if (x.dim() == 0) return at::cpu::_softmax(x, dim, false);
  const Exponentials rows = exponentials(in_rows(x), dim, "aten::_softmax");
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
  const Exponentials rows = exponentials(in_rows(x), dim, "aten::_log_softmax");
  return steps::sub(rows.shifted, at::cpu::log(rows.sum));
}

// The rows along `dim` of a contiguous tensor: `outer` blocks of `length` rows of `inner` numbers.
struct Rows {
  int64_t outer, length, inner;
  Rows(const Tensor& x, int64_t dim) : outer(1), length(1), inner(1) {
    const int64_t along = at::maybe_wrap_dim(dim, x.dim());
    for (int64_t i = 0; i < x.dim(); ++i) (i < along ? outer : i > along ? inner : length) *= x.size(i);
  }
};

// g - exp(y) * s, s the sum of g over a row. A row with at most one gradient, as cross entropy leaves it, takes the form
// (g / s - exp(y)) * s, which is (one_hot - exp(y)) * s to the bit: what a loss on a split vocabulary computes. Row by row, so
// that a piece of the rows is rounded as the whole is.
Tensor exact_log_softmax_backward(const Tensor& gradient, const Tensor& y, int64_t dim) {
  if (y.dim() == 0) return at::cpu::_log_softmax_backward_data(gradient, y, dim, at::kDouble);
  const Tensor sums =
      sum_terms(gradient, Term::itself, sum_bits(), at::IntArrayRef(dim), /*keepdim=*/true, "aten::_log_softmax_backward_data");
  const Tensor g = in_rows(gradient), e = in_rows(at::cpu::exp(y));
  Tensor out = at::detail::empty_cpu(g.sizes(), g.options());
  const double *from = g.const_data_ptr<double>(), *weight = e.const_data_ptr<double>(), *sum = sums.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  const Rows rows(g, dim);
  for (int64_t i = 0; i < rows.outer; ++i) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      const int64_t first = i * rows.length * rows.inner + j;
      int64_t others = 0;
      double alone = 0;  // not from the sum, which is rounded
      for (int64_t k = 0; k < rows.length; ++k) {
        const double value = from[first + k * rows.inner];
        others += value != 0;
        if (value != 0) alone = value;
      }
      const double s = sum[i * rows.inner + j], divisor = alone == 0 ? 1 : alone;
      for (int64_t k = 0; k < rows.length; ++k) {
        const int64_t at = first + k * rows.inner;
        to[at] = others <= 1 ? (from[at] / divisor - weight[at]) * alone : from[at] - weight[at] * s;
      }
    }
  }
  return out;
}

Tensor& log_softmax_out(const Tensor& x, int64_t dim, bool half_to_float, Tensor& out) {
  if (!takes_exact_path("aten::_log_softmax", x)) return at::cpu::_log_softmax_outf(x, dim, half_to_float, out);
  return steps::put(out, log_softmax(x, dim, half_to_float));
}

Tensor log_softmax_backward(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType dtype) {
  constexpr const char* op = "aten::_log_softmax_backward_data";
  if (!takes_exact_path(op, gradient, y)) return at::cpu::_log_softmax_backward_data(gradient, y, dim, dtype);
  return exact_log_softmax_backward(gradient, y, dim);
}

Tensor& log_softmax_backward_out(const Tensor& gradient, const Tensor& y, int64_t dim, at::ScalarType dtype, Tensor& out) {
  constexpr const char* op = "aten::_log_softmax_backward_data";
  if (!takes_exact_path(op, gradient, y)) return at::cpu::_log_softmax_backward_data_outf(gradient, y, dim, dtype, out);
  return steps::put(out, exact_log_softmax_backward(gradient, y, dim));
}

}  // namespace

void add_softmax(KernelSet& kernels) {
  kernels.add("_softmax", TORCH_FN(softmax));
  kernels.add("_softmax.out", TORCH_FN(softmax_out));
  kernels.add("_softmax_backward_data", TORCH_FN(softmax_backward));
  kernels.add("_softmax_backward_data.out", TORCH_FN(softmax_backward_out));
  kernels.add("_log_softmax", TORCH_FN(log_softmax));
  kernels.add("_log_softmax.out", TORCH_FN(log_softmax_out));
  kernels.add("_log_softmax_backward_data", TORCH_FN(log_softmax_backward));
  kernels.add("_log_softmax_backward_data.out", TORCH_FN(log_softmax_backward_out));
}

}  // namespace ordercheck::ranks
