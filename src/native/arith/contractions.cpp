// Exact products of matrices and vectors: with both operands on the grid, a product is exact in any order.
#include <ATen/CPUFunctions.h>
#include <ATen/ops/unsqueeze_native.h>
#include <ATen/ops/view_native.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/narrow_products.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"

namespace ordercheck::ranks {
namespace {

using at::Scalar;
using at::Tensor;

struct Operands {
  Tensor a, b;
};

Operands on_grid(const Tensor& a, const Tensor& b) { return {snapped(a, exact_grid()), snapped(b, exact_grid())}; }

Tensor exact_mm(const Tensor& a, const Tensor& b, const char* what) {
  const Operands operands = on_grid(a, b);
  Tensor product = at::cpu::mm(operands.a, operands.b);
  note_product(operands.a, operands.b, product_bits(), what);
  return product;
}

Tensor exact_bmm(const Tensor& a, const Tensor& b, const char* what) {
  const Operands operands = on_grid(a, b);
  Tensor product = product_on_grid(operands.a, operands.b);
  note_product(operands.a, operands.b, product_bits(), what);
  return product;
}

Tensor mm(const Tensor& a, const Tensor& b) {
  return takes_exact_path("aten::mm", a, b) ? exact_mm(a, b, "aten::mm") : at::cpu::mm(a, b);
}

Tensor& mm_out(const Tensor& a, const Tensor& b, Tensor& out) {
  if (!takes_exact_path("aten::mm", a, b)) return at::cpu::mm_outf(a, b, out);
  return steps::put(out, exact_mm(a, b, "aten::mm"));
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  return takes_exact_path("aten::bmm", a, b) ? exact_bmm(a, b, "aten::bmm") : at::cpu::bmm(a, b);
}

Tensor& bmm_out(const Tensor& a, const Tensor& b, Tensor& out) {
  if (!takes_exact_path("aten::bmm", a, b)) return at::cpu::bmm_outf(a, b, out);
  return steps::put(out, exact_bmm(a, b, "aten::bmm"));
}

// Returns beta * self + alpha * product, as addmm. The product is exact; each scaling and the addition round once.
Tensor plus_bias(Tensor product, const Tensor& self, const Scalar& beta, const Scalar& alpha) {
  if (alpha.toDouble() != 1) product = steps::mul(product, alpha.toDouble());
  if (beta.toDouble() == 0) return product;
  return steps::add(product, beta.toDouble() == 1 ? self : steps::mul(self, beta.toDouble()));
}

Tensor addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (!takes_exact_path("aten::addmm", a, b)) return at::cpu::addmm(self, a, b, beta, alpha);
  return plus_bias(exact_mm(a, b, "aten::addmm"), self, beta, alpha);
}

Tensor& addmm_out(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha, Tensor& out) {
  if (!takes_exact_path("aten::addmm", a, b)) return at::cpu::addmm_outf(self, a, b, beta, alpha, out);
  return steps::put(out, plus_bias(exact_mm(a, b, "aten::addmm"), self, beta, alpha));
}

Tensor& addmm_in_place(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (!takes_exact_path("aten::addmm", a, b)) return at::cpu::addmm_(self, a, b, beta, alpha);
  return steps::overwrite(self, plus_bias(exact_mm(a, b, "aten::addmm"), self, beta, alpha));
}

Tensor baddbmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (!takes_exact_path("aten::baddbmm", a, b)) return at::cpu::baddbmm(self, a, b, beta, alpha);
  return plus_bias(exact_bmm(a, b, "aten::baddbmm"), self, beta, alpha);
}

Tensor& baddbmm_out(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha,
                    Tensor& out) {
  if (!takes_exact_path("aten::baddbmm", a, b)) return at::cpu::baddbmm_outf(self, a, b, beta, alpha, out);
  return steps::put(out, plus_bias(exact_bmm(a, b, "aten::baddbmm"), self, beta, alpha));
}

Tensor& baddbmm_in_place(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  if (!takes_exact_path("aten::baddbmm", a, b)) return at::cpu::baddbmm_(self, a, b, beta, alpha);
  return steps::overwrite(self, plus_bias(exact_bmm(a, b, "aten::baddbmm"), self, beta, alpha));
}

// Matrix times vector, as a product with a matrix of one column.
Tensor exact_mv(const Tensor& a, const Tensor& x, const char* what) {
  const Tensor product = exact_mm(a, at::native::unsqueeze(x, 1), what);
  return at::native::view(product, {product.size(0)});
}

Tensor addmv(const Tensor& self, const Tensor& a, const Tensor& x, const Scalar& beta, const Scalar& alpha) {
  if (!takes_exact_path("aten::addmv", a, x)) return at::cpu::addmv(self, a, x, beta, alpha);
  return plus_bias(exact_mv(a, x, "aten::addmv"), self, beta, alpha);
}

Tensor& addmv_out(const Tensor& self, const Tensor& a, const Tensor& x, const Scalar& beta, const Scalar& alpha, Tensor& out) {
  if (!takes_exact_path("aten::addmv", a, x)) return at::cpu::addmv_outf(self, a, x, beta, alpha, out);
  return steps::put(out, plus_bias(exact_mv(a, x, "aten::addmv"), self, beta, alpha));
}

Tensor& addmv_in_place(Tensor& self, const Tensor& a, const Tensor& x, const Scalar& beta, const Scalar& alpha) {
  if (!takes_exact_path("aten::addmv", a, x)) return at::cpu::addmv_(self, a, x, beta, alpha);
  return steps::overwrite(self, plus_bias(exact_mv(a, x, "aten::addmv"), self, beta, alpha));
}

Tensor exact_dot(const Tensor& a, const Tensor& b, const char* what) {
  const Operands operands = on_grid(a, b);
  Tensor product = at::cpu::dot(operands.a, operands.b);
  note_product(at::native::unsqueeze(operands.a, 0), at::native::unsqueeze(operands.b, 1), product_bits(), what);
  return product;
}

Tensor dot(const Tensor& a, const Tensor& b) {
  return takes_exact_path("aten::dot", a, b) ? exact_dot(a, b, "aten::dot") : at::cpu::dot(a, b);
}

Tensor vdot(const Tensor& a, const Tensor& b) {
  return takes_exact_path("aten::vdot", a, b) ? exact_dot(a, b, "aten::vdot") : at::cpu::vdot(a, b);
}

}  // namespace

void add_contractions(KernelSet& kernels) {
  kernels.add("mm", TORCH_FN(mm));
  kernels.add("mm.out", TORCH_FN(mm_out));
  kernels.add("bmm", TORCH_FN(bmm));
  kernels.add("bmm.out", TORCH_FN(bmm_out));
  kernels.add("addmm", TORCH_FN(addmm));
  kernels.add("addmm.out", TORCH_FN(addmm_out));
  kernels.add("addmm_", TORCH_FN(addmm_in_place));
  kernels.add("baddbmm", TORCH_FN(baddbmm));
  kernels.add("baddbmm.out", TORCH_FN(baddbmm_out));
  kernels.add("baddbmm_", TORCH_FN(baddbmm_in_place));
  kernels.add("addmv", TORCH_FN(addmv));
  kernels.add("addmv.out", TORCH_FN(addmv_out));
  kernels.add("addmv_", TORCH_FN(addmv_in_place));
  kernels.add("dot", TORCH_FN(dot));
  kernels.add("vdot", TORCH_FN(vdot));
}

}  // namespace ordercheck::ranks
