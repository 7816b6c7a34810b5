// As native/arith/contractions.cpp: with both operands on the grid, a product is exact in any order.
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

// Rounds both operands to the grid, checks the range, and multiplies matrices, batches of matrices, or vectors with one stock
// operator.
template <typename Stock>
Tensor product(const Tensor& a, const Tensor& b, Stock stock, const char* what) {
  const Tensor x = snapped(a, exact_grid()), y = snapped(b, exact_grid());
  Tensor made = stock(x, y);
  if (x.dim() == 1)
    note_product(x.unsqueeze(0), y.unsqueeze(1), product_bits(), what);
  else
    note_product(x, y, product_bits(), what);
  return made;
}

Tensor mm_of(const Tensor& a, const Tensor& b, const char* what) {
  return product(a, b, [](const Tensor& x, const Tensor& y) { return at::mm(x, y); }, what);
}

Tensor bmm_of(const Tensor& a, const Tensor& b, const char* what) {
  return product(a, b, [](const Tensor& x, const Tensor& y) { return at::bmm(x, y); }, what);
}

Tensor dot_of(const Tensor& a, const Tensor& b, const char* what) {
  return product(a, b, [](const Tensor& x, const Tensor& y) { return at::dot(x, y); }, what);
}

// Returns beta * self + alpha * product, as addmm. Each scaling and the addition round once.
Tensor with_bias(Tensor product, const Tensor& self, const Scalar& beta, const Scalar& alpha) {
  if (alpha.toDouble() != 1) product = times(product, alpha.toDouble());
  if (beta.toDouble() == 0) return product;
  return plus(product, beta.toDouble() == 1 ? self : times(self, beta.toDouble()));
}

Tensor mm(const Tensor& a, const Tensor& b) { return mm_of(a, b, "aten::mm"); }
Tensor bmm(const Tensor& a, const Tensor& b) { return bmm_of(a, b, "aten::bmm"); }
Tensor dot(const Tensor& a, const Tensor& b) { return dot_of(a, b, "aten::dot"); }
Tensor vdot(const Tensor& a, const Tensor& b) { return dot_of(a, b, "aten::vdot"); }

Tensor addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  return with_bias(mm_of(a, b, "aten::addmm"), self, beta, alpha);
}

Tensor baddbmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  return with_bias(bmm_of(a, b, "aten::baddbmm"), self, beta, alpha);
}

// Matrix times vector, as a product with a matrix of one column.
Tensor addmv(const Tensor& self, const Tensor& a, const Tensor& x, const Scalar& beta, const Scalar& alpha) {
  return with_bias(mm_of(a, x.unsqueeze(1), "aten::addmv").squeeze(1), self, beta, alpha);
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_contractions() {
  using c10::KernelFunction;
  return {
      {{"mm", "mm.out"}, sums_of({0, 1}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::mm))},
      {{"bmm", "bmm.out"}, sums_of({0, 1}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::bmm))},
      {{"dot"}, sums_of({0, 1}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::dot))},
      {{"vdot"}, sums_of({0, 1}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::vdot))},
      {{"addmm", "addmm.out", "addmm_"}, sums_of({1, 2}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::addmm))},
      {{"baddbmm", "baddbmm.out", "baddbmm_"},
       sums_of({1, 2}),
       KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::baddbmm))},
      {{"addmv", "addmv.out", "addmv_"}, sums_of({1, 2}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::addmv))}};
}

}  // namespace ordercheck::ranks
