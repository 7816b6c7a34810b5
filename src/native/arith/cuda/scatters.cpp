// As native/arith/scatters.cpp: gradients of lookups, and accumulation by index. GPU atomics add in any order, which is
// harmless on a grid.
#include <numeric>

#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

using Indices = c10::List<std::optional<Tensor>>;

Tensor zeros_of(const Tensor& x) { return at::zeros(x.sizes(), x.options()); }

// Returns the rows rounded to the product grid. All rows may be added to one index, so the range check uses the column with the
// largest sum of |terms|.
Tensor terms_on_grid(const Tensor& x, const char* op) {
  Tensor terms = snapped(x, product_bits());
  std::vector<int64_t> leading(std::max<int64_t>(x.dim() - 1, 0));
  std::iota(leading.begin(), leading.end(), 0);
  sum_of_terms(terms, Term::magnitude, product_bits(), leading, /*keepdim=*/false, op);
  return terms;
}

Tensor embedding_backward(const Tensor& gradient, const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency) {
  constexpr const char* op = "aten::embedding_dense_backward";
  if (by_frequency) refuse_exact(op, "scaled by frequency");
  return at::embedding_dense_backward(terms_on_grid(in_rows(gradient), op), indices, rows, padding, false);
}

Tensor index_put(const Tensor& self, const Indices& indices, const Tensor& values, bool, bool unsafe) {
  Tensor sums = zeros_of(self);
  at::_index_put_impl_(sums, indices, terms_on_grid(values, "aten::_index_put_impl_"), /*accumulate=*/true, unsafe);
  return plus(self, sums);
}

bool accumulates(const char* op, Arguments arguments) {
  return arguments[3].toBool() && takes_exact_path(op, arguments[0].toTensor());
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  const Tensor scaled = alpha.toDouble() == 1 ? source : times(source, alpha.toDouble());
  const Tensor sums = at::index_add(zeros_of(self), dim, index, terms_on_grid(scaled, "aten::index_add"));
  return in_rows(plus(self, sums));  // ATen returns a contiguous tensor
}

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  const Tensor sums = at::scatter_add(zeros_of(self), dim, index, terms_on_grid(source, "aten::scatter_add"));
  return in_rows(plus(self, sums));  // ATen returns a contiguous tensor
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_scatters() {
  using c10::KernelFunction;
  return {
      {{"embedding_dense_backward", "embedding_dense_backward.out"},
       sums_of({0}),
       KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::embedding_backward))},
      {{"_index_put_impl_"}, on_device::accumulates, KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::index_put))},
      {{"index_add", "index_add.out", "index_add_"},
       sums_of({0}),
       KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::index_add))},
      {{"scatter_add", "scatter_add.out", "scatter_add_"},
       sums_of({0}),
       KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::scatter_add))}};
}

}  // namespace ordercheck::ranks
