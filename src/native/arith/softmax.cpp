#include "native/arith/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/slice_native.h>
#include <ATen/ops/view_native.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"
#include "native/arith/wide_vectors.h"

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

// Computes x - y * s, where s is one number per row.
ORDERCHECK_WIDE_VECTORS
void take_off(const double* y, const double* sums, int64_t rows, int64_t length, double* x) {
  for (int64_t row = 0; row < rows; ++row, x += length, y += length) {
    const double sum = sums[row];
#pragma omp simd
    for (int64_t i = 0; i < length; ++i) x[i] = x[i] - y[i] * sum;
  }
}

// The softmax gradient for contiguous rows along the last dim: same operations as below, without a temporary tensor for each.
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

// Subtract the maximum first and the logarithm of the sum last, as a vocabulary-parallel loss does.
Tensor log_softmax(const Tensor& x, int64_t dim, bool half_to_float) {
  if (!takes_exact_path("aten::_log_softmax", x) || x.dim() == 0) return at::cpu::_log_softmax(x, dim, half_to_float);
  const Exponentials rows = exponentials(in_rows(x), dim, "aten::_log_softmax");
  return steps::sub(rows.shifted, at::cpu::log(rows.sum));
}

// The layout of a contiguous tensor for sums over `dim`: `outer` blocks of `length` rows of `inner` numbers.
struct Rows {
  int64_t outer, length, inner;
  Rows(const Tensor& x, int64_t dim) : outer(1), length(1), inner(1) {
    const int64_t along = at::maybe_wrap_dim(dim, x.dim());
    for (int64_t i = 0; i < x.dim(); ++i) (i < along ? outer : i > along ? inner : length) *= x.size(i);
  }
};

// Computes g - exp(y) * s, where s is the sum of g over a row. Cross entropy leaves at most one nonzero gradient per row: then
// (g / s - exp(y)) * s equals (one_hot - exp(y)) * s to the bit, as a vocabulary-parallel loss computes it. The choice is per
// row, so that a shard of the rows rounds as the whole does.
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

// NOTE [masked elements]: the stock exp kernel is far slower for minus infinity than for finite numbers. So it gets only the
// unmasked elements, packed together; the bits of an element do not depend on its place (steps.h).
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// How much of a row of attention scores the mask leaves: elements from `end` on are -inf, and so are `hidden` elements before
// it.
struct Row {
  int64_t end, hidden;
};

int64_t end_of(const double* row, int64_t length) {
  while (length > 0 && row[length - 1] == kHidden) --length;
  return length;
}

// For each row, stores its visible part in `seen` and its maximum in `largest`, NaN if the row has one.
ORDERCHECK_WIDE_VECTORS
void look_at(const double* row, int64_t rows, int64_t length, Row* seen, double* largest) {
  for (int64_t r = 0; r < rows; ++r, row += length) {
    double top = kHidden;
    int64_t hidden = 0, none = 0;
#pragma omp simd reduction(max : top) reduction(+ : hidden, none)
    for (int64_t i = 0; i < length; ++i) {
      top = row[i] > top ? row[i] : top;
      hidden += row[i] == kHidden;
      none += row[i] != row[i];
    }
    const int64_t end = hidden == 0 ? length : end_of(row, length);
    seen[r] = {end, hidden - (length - end)};
    largest[r] = none > 0 ? std::numeric_limits<double>::quiet_NaN() : top;
  }
}

// Packs the visible elements minus their row's maximum. Returns their number.
ORDERCHECK_WIDE_VECTORS
int64_t gather(const double* row, int64_t rows, int64_t length, const Row* seen, const double* largest, double* to) {
  double* const first = to;
  for (int64_t r = 0; r < rows; ++r, row += length) {
    const double shift = std::isinf(largest[r]) ? 0 : largest[r];
    const int64_t end = seen[r].end;
    if (seen[r].hidden == 0) {
#pragma omp simd
      for (int64_t i = 0; i < end; ++i) to[i] = row[i] - shift;
      to += end;
    } else {
      for (int64_t i = 0; i < end; ++i) {
        *to = row[i] - shift;  // the next element overwrites a masked one
        to += row[i] != kHidden;
      }
    }
  }
  return to - first;
}

// The reverse of gather(): writes the exponentials back to their places in the rows, with zero where masked.
void spread(const double* row, int64_t rows, int64_t length, const Row* seen, const double* from, double* to) {
  for (int64_t r = 0; r < rows; ++r, row += length, to += length) {
    const int64_t end = seen[r].end;
    if (seen[r].hidden == 0) {
      std::copy_n(from, end, to);
      from += end;
    } else {
      for (int64_t i = 0; i < end; ++i) {
        const bool is_seen = row[i] != kHidden;
        to[i] = is_seen ? *from : 0.0;
        from += is_seen;
      }
    }
    std::fill(to + end, to + length, 0.0);
  }
}

}  // namespace

SeenExponentials seen_exponentials(const at::Tensor& scores, const char* what) {
  const int64_t rows = scores.size(0) * scores.size(1), length = scores.size(2);
  if (length == 0) at::cpu::amax(scores, {-1});  // throws ATen's error for an empty dim
  SeenExponentials made;
  made.largest = at::detail::empty_cpu({scores.size(0), scores.size(1), 1}, scores.options());
  at::Tensor together = at::detail::empty_cpu({scores.numel() + 1}, scores.options());  // gather() may write one more
  const double* from = scores.const_data_ptr<double>();
  double *const largest = made.largest.mutable_data_ptr<double>(), *const to = together.mutable_data_ptr<double>();
  std::vector<Row> seen(rows);
  look_at(from, rows, length, seen.data(), largest);
  at::Tensor exponents = at::native::slice(together, 0, 0, gather(from, rows, length, seen.data(), largest, to));
  at::cpu::exp_(exponents);
  if (exponents.numel() == scores.numel()) {
    made.values = at::native::view(exponents, scores.sizes());
  } else {
    made.values = at::detail::empty_cpu(scores.sizes(), scores.options());
    spread(from, rows, length, seen.data(), to, made.values.mutable_data_ptr<double>());
  }
  made.sum = sum_terms(made.values, Term::itself, sum_bits(), at::IntArrayRef(-1), /*keepdim=*/true, what);
  return made;
}

}  // namespace ordercheck::ranks
