// As native/arith/meetings.cpp (see NOTE [gradients that meet]) and parts of elementwise.cpp: the sum of two tensors, the
// complex product, and the square root.
#include <algorithm>
#include <cmath>

#include <ATen/ExpandUtils.h>
#include <fmt/format.h>
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"
#include "native/arith/range.h"
#include "native/arith/snap.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

// Returns the largest magnitude, without infinities, because masks add minus infinity. NaN if any element is NaN.
double largest_finite(const Tensor& x) {
  const Tensor magnitudes = at::abs(x);
  return at::where(at::isinf(magnitudes), at::zeros({}, x.options()), magnitudes).max().item<double>();
}

// Returns the grid to which both terms of an addition are rounded, as bits_of() in native/arith/meetings.cpp: finer for single
// numbers, which are totals of losses or squares.
int meeting_bits(const Tensor& a, const Tensor& b) {
  return a.dim() == 0 && b.dim() == 0 ? product_bits() + 8 : product_bits() + 4;
}

Tensor on_grid(const Tensor& x, int bits) {
  const double c = snap_constant(bits);
  return at::sub(at::add(x, c), c);
}

void note_meeting_of(const Tensor& a, const Tensor& b, int bits) {
  if (!is_measured() || a.numel() == 0 || b.numel() == 0) return;
  const double x = largest_finite(a), y = largest_finite(b);
  if (std::max(x, y) >= std::ldexp(1.0, 51 - bits)) {
    leave_range(fmt::format("exact arithmetic left its range in aten::add: |x| = {:.3g} does not fit the grid 2^-{}",
                            std::max(x, y), bits));
  }
  // Check against the product grid at most: what ranks and microbatches add lies on it or on a coarser one.
  note_sum(x + y, std::min(bits, product_bits()), "aten::add");
}

bool is_expanded_tensor(const Tensor& x) {
  const at::IntArrayRef strides = x.strides();
  return std::find(strides.begin(), strides.end(), 0) != strides.end();
}

// Multiply by alpha first: a fused multiply-add would round once.
Tensor add(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return alpha.toDouble() == 1 ? plus(a, b) : at::add(a, times(b, alpha.toDouble()));
}

bool is_tensor_of_float64(const Tensor& x) {
  return x.scalar_type() == at::kDouble && !x.unsafeGetTensorImpl()->is_wrapped_number();
}

bool meets_or_is_scaled(const char*, Arguments arguments) {
  const Tensor &a = arguments[0].toTensor(), &b = arguments[1].toTensor();
  if (arguments[2].toScalar().toDouble() == 1) return is_tensor_of_float64(a) && is_tensor_of_float64(b);
  return a.scalar_type() == at::kDouble && b.scalar_type() == at::kDouble && b.dim() == 0;
}

// Complex product by real arithmetic, one rounding per step.
Tensor complex_product(const Tensor& a, const Tensor& b) {
  const std::vector<int64_t> sizes = at::infer_size(a.sizes(), b.sizes());
  const Tensor x = at::view_as_real(in_rows(a.expand(sizes))), y = at::view_as_real(in_rows(b.expand(sizes)));
  const Tensor p = x.select(-1, 0), q = x.select(-1, 1), r = y.select(-1, 0), s = y.select(-1, 1);
  const Tensor real = at::sub(times(p, r), times(q, s)), imaginary = at::add(times(p, s), times(q, r));
  // Write into the stock kernel's result, because its strides depend on both operands.
  return at::mul(a, b).copy_(at::complex(in_rows(real), in_rows(imaginary)));
}

bool are_complex(const char*, Arguments arguments) {
  return arguments[0].toTensor().scalar_type() == at::kComplexDouble &&
         arguments[1].toTensor().scalar_type() == at::kComplexDouble;
}

}  // namespace

Tensor plus(const Tensor& a, const Tensor& b) {
  const int bits = meeting_bits(a, b);
  note_meeting_of(a, b, bits);
  const Tensor sum = at::add(on_grid(a, bits), on_grid(b, bits));
  // Expanded operands do not determine the strides of the sum, but their contiguous rounded copies would.
  return is_expanded_tensor(a) || is_expanded_tensor(b) ? put_in(room_for(a, b), sum) : sum;
}

}  // namespace on_device

std::vector<ExactOperator> exact_arithmetic() {
  using c10::KernelFunction;
  return {{{"add.Tensor", "add.out", "add_.Tensor"},
           on_device::meets_or_is_scaled,
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::add))},
          {{"mul.Tensor", "mul.out", "mul_.Tensor"},
           on_device::are_complex,
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::complex_product))},
          {{"sqrt", "sqrt.out", "sqrt_"}, is_float64(0), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::root))}};
}

}  // namespace ordercheck::ranks
