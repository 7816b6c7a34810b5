// As native/arith/sums.cpp and vector_norms.cpp: sums over dims, operators built on sums, and norms.
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/means.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/cuda/whole_vectors.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {

Tensor sum_of(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what) {
  return sum_of_terms(x, Term::itself, sum_bits(), dims, keepdim, what);
}

Tensor mean_of(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what) {
  return over(sum_of(x, dims, keepdim, what), static_cast<double>(terms_of(x, dims)));
}

namespace {

using Dtype = std::optional<at::ScalarType>;

Tensor summand(const Tensor& x, Dtype dtype) {
  if (!dtype || x.scalar_type() == *dtype) return x;
  return at::empty(x.sizes(), x.options().dtype(dtype)).copy_(x);
}

Tensor sum(const Tensor& x, Dtype dtype) { return sum_of(summand(x, dtype), at::IntArrayRef{}, false, "aten::sum"); }

Tensor sum_dims(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, Dtype dtype) {
  return sum_of(summand(x, dtype), dims, keepdim, "aten::sum");
}

Tensor mean(const Tensor& x, Dtype dtype) { return mean_of(summand(x, dtype), at::IntArrayRef{}, false, "aten::mean"); }

Tensor mean_dims(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, Dtype dtype) {
  return mean_of(summand(x, dtype), dims, keepdim, "aten::mean");
}

Tensor cumsum(const Tensor& x, int64_t dim, Dtype dtype) {
  const Tensor terms = snapped(summand(x, dtype), sum_bits());
  // Called only to check the range of the largest prefix sum.
  sum_of_terms(terms, Term::magnitude, sum_bits(), at::IntArrayRef(dim), false, "aten::cumsum");
  return at::cumsum(terms, dim);
}

Tensor variance_of(const Tensor& x, OptionalIntArrayRef dims, const std::optional<Scalar>& correction, bool keepdim) {
  const Tensor centred = minus(x, mean_of(x, dims, true, "aten::var"));
  const Tensor squares = sum_of_terms(centred, Term::square, sum_bits(), dims, keepdim, "aten::var");
  return over(squares, static_cast<double>(terms_of(x, dims)) - (correction ? correction->toDouble() : 1));
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& x, OptionalIntArrayRef dims, const std::optional<Scalar>& correction,
                                    bool keepdim) {
  return {variance_of(x, dims, correction, keepdim), mean_of(x, dims, keepdim, "aten::var_mean")};
}

// See NOTE [norms of norms] in native/arith/vector_norms.cpp.
constexpr int kSlack = 4;

Tensor norm_of(const char* op, const Tensor& x, double order, OptionalIntArrayRef dims, bool keepdim) {
  if (order == 2) return root(sum_of_terms(x, Term::square, kNormBits, dims, keepdim, op));
  if (order == 1) return sum_of_terms(x, Term::magnitude, sum_bits(), dims, keepdim, op);
  if (std::isinf(order)) return at::linalg_vector_norm(x, order, dims, keepdim);
  refuse_exact(op, fmt::format("of order {}", order));
}

Tensor vector_norm(const Tensor& x, const Scalar& order, OptionalIntArrayRef dims, bool keepdim, Dtype) {
  return norm_of("aten::linalg_vector_norm", x, order.toDouble(), dims, keepdim);
}

Tensor norm(const Tensor& x, const std::optional<Scalar>& order, at::IntArrayRef dims, bool keepdim) {
  return norm_of("aten::norm", x, order ? order->toDouble() : 2, dims, keepdim);
}

std::vector<Tensor> foreach_norm(at::TensorList all, const Scalar& order, Dtype) {
  constexpr const char* op = "aten::_foreach_norm";
  std::vector<Tensor> norms;
  for (const Tensor& x : all)
    norms.push_back(order.toDouble() == 2 ? root(sum_of_terms(x, Term::square, kNormBits - kSlack, {}, false, op))
                                          : norm_of(op, x, order.toDouble(), {}, false));
  return norms;
}

Tensor power(const Tensor& x, const Scalar& exponent) {
  constexpr std::array kStable{0.0, 1.0, 2.0, 3.0, -0.5, -1.0, -2.0};
  if (x.dim() == 0 && exponent.toDouble() == 2) return snapped(times(x, x), kNormBits);
  if (exponent.toDouble() == 0.5) return root(x);
  if (std::find(kStable.begin(), kStable.end(), exponent.toDouble()) != kStable.end()) return at::pow(x, exponent);
  return on_whole_vectors(x, [&](const Tensor& t) { return at::pow(t, exponent); });
}

Dtype dtype_in(const c10::IValue& value) { return value.toOptional<at::ScalarType>(); }

Applies sums_in(std::size_t place) {
  return [place](const char* op, Arguments arguments) {
    const Dtype dtype = dtype_in(arguments[place]);
    const Tensor& x = arguments[0].toTensor();
    if (dtype == at::kDouble) return !x.is_complex();
    if (dtype && (at::isFloatingType(*dtype) || at::isComplexType(*dtype))) refuse_exact(op, "in " + name_of(*dtype));
    return takes_exact_path(op, x);
  };
}

bool norms_exactly(const char* op, const Tensor& x, Dtype dtype) {
  if (dtype && *dtype != at::kDouble) refuse_exact(op, "in " + name_of(*dtype));
  return takes_exact_path(op, x);
}

bool norms_one(const char* op, Arguments arguments) {
  return norms_exactly(op, arguments[0].toTensor(), dtype_in(arguments[4]));
}

bool norms_all(const char* op, Arguments arguments) {
  bool exact = true;
  for (const Tensor& x : arguments[0].toTensorVector()) exact = norms_exactly(op, x, dtype_in(arguments[2])) && exact;
  return exact;
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_sums_and_norms() {
  using c10::KernelFunction;
  using namespace on_device;
  return {{{"sum"}, sums_in(1), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::sum))},
          {{"sum.dim_IntList", "sum.IntList_out"}, sums_in(3), KernelFunction::makeFromUnboxedFunction(TORCH_FN(sum_dims))},
          {{"mean"}, sums_in(1), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::mean))},
          {{"mean.dim", "mean.out"}, sums_in(3), KernelFunction::makeFromUnboxedFunction(TORCH_FN(mean_dims))},
          {{"cumsum", "cumsum.out"}, sums_in(2), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::cumsum))},
          {{"var.correction"}, sums_of({0}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::variance_of))},
          {{"var_mean.correction"}, sums_of({0}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::var_mean))},
          {{"linalg_vector_norm", "linalg_vector_norm.out"},
           norms_one,
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(vector_norm))},
          {{"norm.ScalarOpt_dim"}, sums_of({0}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::norm))},
          {{"_foreach_norm.Scalar"}, norms_all, KernelFunction::makeFromUnboxedFunction(TORCH_FN(foreach_norm))},
          {{"pow.Tensor_Scalar", "pow_.Scalar", "pow.Tensor_Scalar_out"},
           is_float64(0),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::power))}};
}

}  // namespace ordercheck::ranks
