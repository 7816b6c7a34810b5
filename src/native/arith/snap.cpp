#include "native/arith/snap.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/copy_native.h>
#include <fmt/format.h>

#include "native/arith/range.h"
#include "native/arith/wide_vectors.h"

namespace ordercheck::ranks {
namespace {

// Returns the largest magnitude; NaN if any element is NaN.
double largest_magnitude(const double* in, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) keep_largest(std::fabs(in[i]), largest);
  return largest;
}

// True if all numbers are small enough for the grid. Counting those that are not vectorizes better than a maximum, in which
// each step waits for the one before.
ORDERCHECK_WIDE_VECTORS
bool fit_grid(const double* in, int64_t count, double limit) {
  int64_t outside = 0;
#pragma omp simd reduction(+ : outside)
  for (int64_t i = 0; i < count; ++i) outside += !(std::fabs(in[i]) < limit);
  return outside == 0;
}

ORDERCHECK_WIDE_VECTORS
void round_to_grid(const double* in, double* out, int64_t count, double c) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) out[i] = (in[i] + c) - c;
}

}  // namespace

void snap(const double* in, double* out, int64_t count, int bits) {
  if (!fit_grid(in, count, std::ldexp(1.0, 51 - bits))) {
    leave_range(fmt::format("exact arithmetic left its range: |x| = {:.3g} does not fit the grid 2^-{}",
                            largest_magnitude(in, count), bits));
  }
  round_to_grid(in, out, count, snap_constant(bits));
}

at::Tensor in_rows(const at::Tensor& x) {
  if (x.is_contiguous()) return x;
  at::Tensor rows = at::detail::empty_cpu(x.sizes(), x.options());
  at::native::copy_(rows, x, /*non_blocking=*/false);
  return rows;
}

at::Tensor snapped(const at::Tensor& x, int bits) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "snap: expected float64, got ", x.scalar_type());
  // Dense memory has no gaps, so it can be rounded in storage order.
  const at::Tensor in = x.is_non_overlapping_and_dense() ? x : in_rows(x);
  at::Tensor out = at::detail::empty_strided_cpu(in.sizes(), in.strides(), in.options());
  snap(in.const_data_ptr<double>(), out.mutable_data_ptr<double>(), in.numel(), bits);
  return out;
}

}  // namespace ordercheck::ranks
