// As ranks/arith/meetings.cpp and the rest of elementwise.cpp: the sum of two tensors (see NOTE [gradients that meet] there), the
// product of complex ones, and the square root.
#include <algorithm>
#include <cmath>

#include <ATen/ExpandUtils.h>
#include <fmt/format.h>
#include <torch/library.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/range.h"
#include "ranks/arith/snap.h"
#include "ranks/cuda/exact_operators.h"
#include "ranks/cuda/steps.h"
#include "ranks/cuda/tensor_kernels.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

// Of the finite ones: a mask adds minus infinity. Not a number where one of them is none.
double largest_finite(const Tensor& x) {
  const Tensor magnitudes = at::abs(x);
  return at::where(at::isinf(magnitudes), at::zeros({}, x.options()), magnitudes).max().item<double>();
}

// A single number is a total, of losses or squares.
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
  // What ranks and microbatches add up of it lies on the grid of products, or of sums.
  note_sum(x + y, std::min(bits, product_bits()), "aten::add");
}

bool is_expanded_tensor(const Tensor& x) {
  const at::IntArrayRef strides = x.strides();
  return std::find(strides.begin(), strides.end(), 0) != strides.end();
}

// A single number times a factor is multiplied by itself, then added.
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

// In real arithmetic, one rounding a step.
Tensor complex_product(const Tensor& a, const Tensor& b) {
  const std::vector<int64_t> sizes = at::infer_size(a.sizes(), b.sizes());
  const Tensor x = at::view_as_real(in_rows(a.expand(sizes))), y = at::view_as_real(in_rows(b.expand(sizes)));
  const Tensor p = x.select(-1, 0), q = x.select(-1, 1), r = y.select(-1, 0), s = y.select(-1, 1);
  const Tensor real = at::sub(times(p, r), times(q, s)), imaginary = at::add(times(p, s), times(q, r));
  // Over the stock product, whose strides are up to both operands.
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
  // What is expanded says nothing of how the sum is to lie; rounded, it is contiguous and would.
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
