// Exact sums over dims, and operators built on sums.
#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>

#include "native/arith/exact_sums.h"
#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"

namespace ordercheck::ranks {

using at::OptionalIntArrayRef;
using at::Scalar;
using at::Tensor;

// A sum of one term is rounded to the grid too, so that splitting a sum into parts changes nothing.
Tensor exact_sum(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what) {
  return sum_terms(x, Term::itself, sum_bits(), dims, keepdim, what);
}

Tensor exact_mean(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what) {
  return steps::div(sum_terms(x, Term::itself, sum_bits(), dims, keepdim, what), static_cast<double>(terms_of(x, dims)));
}

namespace {

using Dtype = std::optional<at::ScalarType>;

// Returns `x` cast to `dtype`, in which at::sum adds; `x` itself if no dtype is given.
Tensor summand(const Tensor& x, Dtype dtype) {
  if (!dtype || x.scalar_type() == *dtype) return x;
  Tensor cast = at::detail::empty_cpu(x.sizes(), x.options().dtype(*dtype));
  return at::native::copy_(cast, x);
}

bool sums_exactly(const char* op, const Tensor& x, Dtype dtype) {
  if (!exactness_is_on()) return false;
  if (dtype == at::kDouble) return !x.is_complex();
  if (dtype && (at::isFloatingType(*dtype) || at::isComplexType(*dtype))) refuse_exact(op, "in " + name_of(*dtype));
  return takes_exact_path(op, x);
}

Tensor sum_dims(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, Dtype dtype) {
  if (!sums_exactly("aten::sum", x, dtype)) return at::cpu::sum(x, dims, keepdim, dtype);
  return exact_sum(summand(x, dtype), dims, keepdim, "aten::sum");
}

Tensor& sum_out(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, Dtype dtype, Tensor& out) {
  if (!sums_exactly("aten::sum", x, dtype)) return at::cpu::sum_outf(x, dims, keepdim, dtype, out);
  return steps::put(out, exact_sum(summand(x, dtype), dims, keepdim, "aten::sum"));
}

Tensor sum_all(const Tensor& x, Dtype dtype) { return sum_dims(x, at::IntArrayRef{}, false, dtype); }

Tensor mean_dims(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, Dtype dtype) {
  if (!sums_exactly("aten::mean", x, dtype)) return at::cpu::mean(x, dims, keepdim, dtype);
  return exact_mean(summand(x, dtype), dims, keepdim, "aten::mean");
}

Tensor& mean_out(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, Dtype dtype, Tensor& out) {
  if (!sums_exactly("aten::mean", x, dtype)) return at::cpu::mean_outf(x, dims, keepdim, dtype, out);
  return steps::put(out, exact_mean(summand(x, dtype), dims, keepdim, "aten::mean"));
}

Tensor mean_all(const Tensor& x, Dtype dtype) { return mean_dims(x, at::IntArrayRef{}, false, dtype); }

Tensor exact_cumsum(const Tensor& x, int64_t dim) {
  const Tensor terms = snapped(x, sum_bits());
  // Called only to check the range of the largest prefix sum.
  sum_terms(terms, Term::magnitude, sum_bits(), at::IntArrayRef(dim), false, "aten::cumsum");
  return at::cpu::cumsum(terms, dim);
}

Tensor cumsum(const Tensor& x, int64_t dim, Dtype dtype) {
  if (!sums_exactly("aten::cumsum", x, dtype)) return at::cpu::cumsum(x, dim, dtype);
  return exact_cumsum(summand(x, dtype), dim);
}

Tensor& cumsum_out(const Tensor& x, int64_t dim, Dtype dtype, Tensor& out) {
  if (!sums_exactly("aten::cumsum", x, dtype)) return at::cpu::cumsum_outf(x, dim, dtype, out);
  return steps::put(out, exact_cumsum(summand(x, dtype), dim));
}

Tensor exact_var(const Tensor& x, OptionalIntArrayRef dims, const std::optional<Scalar>& correction, bool keepdim) {
  const Tensor centred = steps::sub(x, exact_mean(x, dims, true, "aten::var"));
  const Tensor squares = sum_terms(centred, Term::square, sum_bits(), dims, keepdim, "aten::var");
  return steps::div(squares, static_cast<double>(terms_of(x, dims)) - (correction ? correction->toDouble() : 1));
}

Tensor var_over(const Tensor& x, OptionalIntArrayRef dims, const std::optional<Scalar>& correction, bool keepdim) {
  if (!takes_exact_path("aten::var", x)) return at::cpu::var(x, dims, correction, keepdim);
  return exact_var(x, dims, correction, keepdim);
}

std::tuple<Tensor, Tensor> var_and_mean(const Tensor& x, OptionalIntArrayRef dims, const std::optional<Scalar>& correction,
                                        bool keepdim) {
  if (!takes_exact_path("aten::var_mean", x)) return at::cpu::var_mean(x, dims, correction, keepdim);
  return {exact_var(x, dims, correction, keepdim), exact_mean(x, dims, keepdim, "aten::var_mean")};
}

}  // namespace

void add_sums(KernelSet& kernels) {
  kernels.add("sum", TORCH_FN(sum_all));
  kernels.add("sum.dim_IntList", TORCH_FN(sum_dims));
  kernels.add("sum.IntList_out", TORCH_FN(sum_out));
  kernels.add("mean", TORCH_FN(mean_all));
  kernels.add("mean.dim", TORCH_FN(mean_dims));
  kernels.add("mean.out", TORCH_FN(mean_out));
  kernels.add("cumsum", TORCH_FN(cumsum));
  kernels.add("cumsum.out", TORCH_FN(cumsum_out));
  kernels.add("var.correction", TORCH_FN(var_over));
  kernels.add("var_mean.correction", TORCH_FN(var_and_mean));
}

}  // namespace ordercheck::ranks
