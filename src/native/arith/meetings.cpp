// Exact addition of two tensors.
//
// NOTE [gradients that meet]: autograd adds the gradients of a tensor with three users as (a + b) + c or a + (b + c). Which one
// depends on collectives, checkpoints and the compiler. On a grid, addition is associative, so all give the same bits. Adding a
// scalar or scaling by a factor is elementwise arithmetic and stays with the stock kernel.
#include <algorithm>
#include <cmath>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <fmt/format.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/range.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"

namespace ordercheck::ranks {
namespace {

using at::Scalar;
using at::Tensor;

bool is_tensor_of_doubles(const Tensor& x) {
  return x.scalar_type() == at::kDouble && !x.unsafeGetTensorImpl()->is_wrapped_number();
}

bool meet(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return exactness_is_on() && is_tensor_of_doubles(a) && is_tensor_of_doubles(b) && alpha.toDouble() == 1;
}

// Returns the largest magnitude, without infinities, because masks add minus infinity. NaN if any element is NaN.
double largest_magnitude(const Tensor& x) {
  const Tensor in = x.is_non_overlapping_and_dense() ? x : in_rows(x);
  const double* data = in.const_data_ptr<double>();
  double largest = 0;
  bool all_numbers = true;
  for (int64_t i = 0; i < in.numel(); ++i) {
    const double magnitude = std::fabs(data[i]);
    all_numbers &= magnitude == magnitude;
    if (magnitude > largest && magnitude <= std::numeric_limits<double>::max()) largest = magnitude;
  }
  return all_numbers ? largest : std::numeric_limits<double>::quiet_NaN();
}

bool are_totals(const Tensor& a, const Tensor& b) { return a.dim() == 0 && b.dim() == 0; }

// Returns the grid to which both terms of an addition are rounded. Finer than the product grid by 4 bits, because data parallel
// divides gradients by a degree of up to 16 before adding them. Single numbers get 8 bits: they are totals of losses or
// squares, whose terms were already rounded to a coarser grid.
int bits_of(const Tensor& a, const Tensor& b) { return product_bits() + (are_totals(a, b) ? 8 : 4); }

// Returns the grid by which the range of an addition is checked. Totals lie on the norm grid or a coarser one.
int range_bits_of(const Tensor& a, const Tensor& b) { return are_totals(a, b) ? kNormBits : bits_of(a, b); }

Tensor rounded(const Tensor& x, int bits) {
  const double c = snap_constant(bits);
  return at::cpu::sub(steps::add(x, c), steps::number(c));
}

void note_meeting(const Tensor& a, const Tensor& b, int bits) {
  if (!is_measured() || a.numel() == 0 || b.numel() == 0) return;
  const double x = largest_magnitude(a), y = largest_magnitude(b);
  if (std::max(x, y) >= std::ldexp(1.0, 51 - bits)) {
    leave_range(fmt::format("exact arithmetic left its range in aten::add: |x| = {:.3g} does not fit the grid 2^-{}",
                            std::max(x, y), bits));
  }
  // Check against the product grid at most: what ranks and microbatches add lies on it or on a coarser one.
  note_sum(x + y, std::min(bits, product_bits()), "aten::add");
}

bool is_expanded(const Tensor& x) {
  const at::IntArrayRef strides = x.strides();
  return std::find(strides.begin(), strides.end(), 0) != strides.end();
}

// Returns the sum with the stock kernel's strides. Expanded operands do not determine these, but their contiguous rounded
// copies would.
Tensor sum_of_any(const Tensor& a, const Tensor& b, int bits) {
  if (!is_expanded(a) && !is_expanded(b)) return at::cpu::add(rounded(a, bits), rounded(b, bits));
  Tensor room = steps::room_for(a, b);
  return at::cpu::add_outf(rounded(a, bits), rounded(b, bits), 1, room);
}

Tensor exact_add(const Tensor& a, const Tensor& b) {
  const int bits = bits_of(a, b);
  note_meeting(a, b, range_bits_of(a, b));
  if (!a.is_contiguous() || !b.is_contiguous() || a.sizes() != b.sizes()) return sum_of_any(a, b, bits);
  Tensor out = at::detail::empty_cpu(a.sizes(), a.options());
  const double *x = a.const_data_ptr<double>(), *y = b.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  const double c = snap_constant(bits);
#pragma omp simd
  for (int64_t i = 0; i < out.numel(); ++i) to[i] = ((x[i] + c) - c) + ((y[i] + c) - c);
  return out;
}

}  // namespace

Tensor steps::add(const Tensor& a, const Tensor& b) { return exact_add(a, b); }

namespace {

// True if `b` is a single number with a factor alpha. The stock kernel fuses alpha * b into the addition, except at the end of
// a row; the exact kernel multiplies the number first.
bool is_scaled_number(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return exactness_is_on() && a.scalar_type() == at::kDouble && b.scalar_type() == at::kDouble && b.dim() == 0 &&
         alpha.toDouble() != 1;
}

Tensor times(const Tensor& number, const Scalar& alpha) { return steps::mul(number, alpha.toDouble()); }

Tensor add(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (is_scaled_number(a, b, alpha)) return at::cpu::add(a, times(b, alpha));
  return meet(a, b, alpha) ? exact_add(a, b) : at::cpu::add(a, b, alpha);
}

Tensor& add_out(const Tensor& a, const Tensor& b, const Scalar& alpha, Tensor& out) {
  if (is_scaled_number(a, b, alpha)) return at::cpu::add_outf(a, times(b, alpha), 1, out);
  return meet(a, b, alpha) ? steps::put(out, exact_add(a, b)) : at::cpu::add_outf(a, b, alpha, out);
}

Tensor& add_in_place(Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (is_scaled_number(a, b, alpha)) return at::cpu::add_(a, times(b, alpha));
  return meet(a, b, alpha) ? steps::overwrite(a, exact_add(a, b)) : at::cpu::add_(a, b, alpha);
}

}  // namespace

void add_meetings(KernelSet& kernels) {
  kernels.add("add.Tensor", TORCH_FN(add));
  kernels.add("add.out", TORCH_FN(add_out));
  kernels.add("add_.Tensor", TORCH_FN(add_in_place));
}

}  // namespace ordercheck::ranks
