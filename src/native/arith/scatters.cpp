// Exact scattered sums: gradients of lookups, and accumulation by index.
//
// Backward of a lookup accumulates even if the indices only permute. The product grid keeps contraction results unchanged, so a
// permutation changes no bit. The accumulated-into tensor `self` may be off the grid: the new terms are summed exactly in a
// separate tensor, which is then added with one rounding.
#include <algorithm>
#include <numeric>

#include <ATen/CPUFunctions.h>
#include <ATen/CompositeExplicitAutogradFunctions.h>
#include <ATen/EmptyTensor.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"

namespace ordercheck::ranks {
namespace {

using at::Scalar;
using at::Tensor;
using Indices = c10::List<std::optional<Tensor>>;

Tensor zeros_of(const Tensor& x) {
  Tensor zeros = at::detail::empty_cpu(x.sizes(), x.options());
  std::fill_n(static_cast<char*>(zeros.mutable_data_ptr()), zeros.nbytes(), 0);  // memset needs memory, even for zero bytes
  return zeros;
}

// Returns the rows rounded to the product grid. All rows may be added to one index, so the range check uses the column with the
// largest sum of |terms|.
Tensor terms_on_grid(const Tensor& x, const char* op) {
  Tensor terms = snapped(x, product_bits());
  std::vector<int64_t> leading(std::max<int64_t>(x.dim() - 1, 0));
  std::iota(leading.begin(), leading.end(), 0);
  sum_terms(terms, Term::magnitude, product_bits(), leading, /*keepdim=*/false, op);
  return terms;
}

Tensor exact_embedding_backward(const Tensor& gradient, const Tensor& indices, int64_t rows, int64_t padding,
                                bool by_frequency) {
  constexpr const char* op = "aten::embedding_dense_backward";
  if (by_frequency) refuse_exact(op, "scaled by frequency");
  return at::cpu::embedding_dense_backward(terms_on_grid(in_rows(gradient), op), indices, rows, padding, false);
}

Tensor embedding_backward(const Tensor& gradient, const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency) {
  if (!takes_exact_path("aten::embedding_dense_backward", gradient))
    return at::cpu::embedding_dense_backward(gradient, indices, rows, padding, by_frequency);
  return exact_embedding_backward(gradient, indices, rows, padding, by_frequency);
}

Tensor& embedding_backward_out(const Tensor& gradient, const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency,
                               Tensor& out) {
  if (!takes_exact_path("aten::embedding_dense_backward", gradient))
    return at::compositeexplicitautograd::embedding_dense_backward_outf(gradient, indices, rows, padding, by_frequency, out);
  return steps::put(out, exact_embedding_backward(gradient, indices, rows, padding, by_frequency));
}

Tensor& index_put(Tensor& self, const Indices& indices, const Tensor& values, bool accumulate, bool unsafe) {
  constexpr const char* op = "aten::_index_put_impl_";
  if (!accumulate || !takes_exact_path(op, self)) return at::cpu::_index_put_impl_(self, indices, values, accumulate, unsafe);
  Tensor sums = zeros_of(self);
  at::cpu::_index_put_impl_(sums, indices, terms_on_grid(values, op), /*accumulate=*/true, unsafe);
  return steps::overwrite(self, steps::add(self, sums));
}

Tensor exact_index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  const Tensor scaled = alpha.toDouble() == 1 ? source : steps::mul(source, alpha.toDouble());
  const Tensor sums = at::cpu::index_add(zeros_of(self), dim, index, terms_on_grid(scaled, "aten::index_add"));
  return in_rows(steps::add(self, sums));  // ATen returns a contiguous tensor
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  if (!takes_exact_path("aten::index_add", self)) return at::cpu::index_add(self, dim, index, source, alpha);
  return exact_index_add(self, dim, index, source, alpha);
}

Tensor& index_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  if (!takes_exact_path("aten::index_add", self)) return at::cpu::index_add_(self, dim, index, source, alpha);
  return steps::overwrite(self, exact_index_add(self, dim, index, source, alpha));
}

Tensor& index_add_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
                      Tensor& out) {
  if (!takes_exact_path("aten::index_add", self)) return at::cpu::index_add_outf(self, dim, index, source, alpha, out);
  return steps::put(out, exact_index_add(self, dim, index, source, alpha));
}

Tensor exact_scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  const Tensor sums = at::cpu::scatter_add(zeros_of(self), dim, index, terms_on_grid(source, "aten::scatter_add"));
  return in_rows(steps::add(self, sums));  // ATen returns a contiguous tensor
}

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  if (!takes_exact_path("aten::scatter_add", self)) return at::cpu::scatter_add(self, dim, index, source);
  return exact_scatter_add(self, dim, index, source);
}

Tensor& scatter_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  if (!takes_exact_path("aten::scatter_add", self)) return at::cpu::scatter_add_(self, dim, index, source);
  return steps::overwrite(self, exact_scatter_add(self, dim, index, source));
}

Tensor& scatter_add_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Tensor& out) {
  if (!takes_exact_path("aten::scatter_add", self)) return at::cpu::scatter_add_outf(self, dim, index, source, out);
  return steps::put(out, exact_scatter_add(self, dim, index, source));
}

}  // namespace

void add_scatters(KernelSet& kernels) {
  kernels.add("embedding_dense_backward", TORCH_FN(embedding_backward));
  kernels.add("embedding_dense_backward.out", TORCH_FN(embedding_backward_out));
  kernels.add("_index_put_impl_", TORCH_FN(index_put));
  kernels.add("index_add", TORCH_FN(index_add));
  kernels.add("index_add_", TORCH_FN(index_add_in_place));
  kernels.add("index_add.out", TORCH_FN(index_add_out));
  kernels.add("scatter_add", TORCH_FN(scatter_add));
  kernels.add("scatter_add_", TORCH_FN(scatter_add_in_place));
  kernels.add("scatter_add.out", TORCH_FN(scatter_add_out));
}

}  // namespace ordercheck::ranks
