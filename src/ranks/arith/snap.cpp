#include "ranks/arith/snap.h"

#include <limits>

#include <ATen/EmptyTensor.h>
#include <ATen/ops/copy_native.h>
#include <fmt/format.h>

#include "ranks/arith/range.h"

namespace ordercheck::ranks {
namespace {

// One pass that also finds the largest magnitude, which the grid must hold. A maximum would drop what is not a number, so
// numbers are counted: with one missing, `largest` is none either.
void round_to_grid(const double* in, double* out, int64_t count, double c, double& largest) {
  double top = 0;
  int64_t numbers = 0;
#pragma omp simd reduction(max : top) reduction(+ : numbers)
  for (int64_t i = 0; i < count; ++i) {
    out[i] = (in[i] + c) - c;
    const double magnitude = std::fabs(in[i]);
    top = magnitude > top ? magnitude : top;
    numbers += in[i] == in[i];
  }
  largest = numbers == count ? top : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

at::Tensor in_rows(const at::Tensor& x) {
  if (x.is_contiguous()) return x;
  at::Tensor rows = at::detail::empty_cpu(x.sizes(), x.options());
  at::native::copy_(rows, x, /*non_blocking=*/false);
  return rows;
}

at::Tensor snapped(const at::Tensor& x, int bits) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "snap: expected float64, got ", x.scalar_type());
  // A dense tensor lies in memory without holes, in whatever order: it is rounded as it lies.
  const at::Tensor in = x.is_non_overlapping_and_dense() ? x : in_rows(x);
  at::Tensor out = at::detail::empty_strided_cpu(in.sizes(), in.strides(), in.options());
  double largest = 0;
  round_to_grid(in.const_data_ptr<double>(), out.mutable_data_ptr<double>(), in.numel(), snap_constant(bits), largest);
  if (!(largest < std::ldexp(1.0, 51 - bits))) {
    leave_range(fmt::format("exact arithmetic left its range: |x| = {:.3g} does not fit the grid 2^-{}", largest, bits));
  }
  return out;
}

}  // namespace ordercheck::ranks
