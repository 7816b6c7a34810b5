// Exact vector norms, mostly of gradients.
//
// NOTE [norms of norms]: clip_grad_norm_ and sharded norms add the squares of rounded roots: r = sqrt(S) per parameter or rank,
// then the sum of r*r. S, a sum of squares on a grid, is a multiple of a grid step, and r*r is off by less than half a step, so
// rounding r*r restores S. DTensor may have divided a replicated r by the root of the degree. So a parameter's squares use a
// grid kSlack bits coarser than the grid of their sum.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <ATen/CPUFunctions.h>
#include <ATen/CompositeExplicitAutogradFunctions.h>
#include <ATen/EmptyTensor.h>
#include <fmt/format.h>

#include "native/arith/exact_sums.h"
#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"
#include "native/arith/whole_vectors.h"

namespace ordercheck::ranks {
namespace {

using at::OptionalIntArrayRef;
using at::Scalar;
using at::Tensor;
using Dtype = std::optional<at::ScalarType>;

constexpr int kSlack = 4;

bool norms_exactly(const char* op, const Tensor& x, Dtype dtype) {
  if (exactness_is_on() && dtype && *dtype != at::kDouble) refuse_exact(op, "in " + name_of(*dtype));
  return takes_exact_path(op, x);
}

Tensor exact_norm(const char* op, const Tensor& x, double order, OptionalIntArrayRef dims, bool keepdim) {
  if (order == 2) return steps::root(sum_terms(x, Term::square, kNormBits, dims, keepdim, op));
  if (order == 1) return sum_terms(x, Term::magnitude, sum_bits(), dims, keepdim, op);
  // A maximum or minimum is no sum.
  if (std::isinf(order)) return at::cpu::linalg_vector_norm(x, order, dims, keepdim);
  refuse_exact(op, fmt::format("of order {}", order));
}

Tensor vector_norm(const Tensor& x, const Scalar& order, OptionalIntArrayRef dims, bool keepdim, Dtype dtype) {
  constexpr const char* op = "aten::linalg_vector_norm";
  if (!norms_exactly(op, x, dtype)) return at::cpu::linalg_vector_norm(x, order, dims, keepdim, dtype);
  return exact_norm(op, x, order.toDouble(), dims, keepdim);
}

Tensor& vector_norm_out(const Tensor& x, const Scalar& order, OptionalIntArrayRef dims, bool keepdim, Dtype dtype,
                        Tensor& out) {
  constexpr const char* op = "aten::linalg_vector_norm";
  if (!norms_exactly(op, x, dtype)) return at::cpu::linalg_vector_norm_outf(x, order, dims, keepdim, dtype, out);
  return steps::put(out, exact_norm(op, x, order.toDouble(), dims, keepdim));
}

Tensor norm(const Tensor& x, const std::optional<Scalar>& order, at::IntArrayRef dims, bool keepdim) {
  if (!takes_exact_path("aten::norm", x)) return at::cpu::norm(x, order, dims, keepdim);
  return exact_norm("aten::norm", x, order ? order->toDouble() : 2, dims, keepdim);
}

std::vector<Tensor> foreach_norm(at::TensorList all, const Scalar& order, Dtype dtype) {
  constexpr const char* op = "aten::_foreach_norm";
  bool exact = exactness_is_on();
  for (const Tensor& x : all) exact = norms_exactly(op, x, dtype) && exact;
  if (!exact) return at::compositeexplicitautograd::_foreach_norm(all, order, dtype);
  std::vector<Tensor> norms;
  for (const Tensor& x : all) {
    // See NOTE [norms of norms].
    norms.push_back(order.toDouble() == 2 ? steps::root(sum_terms(x, Term::square, kNormBits - kSlack, {}, false, op))
                                          : exact_norm(op, x, order.toDouble(), {}, false));
  }
  return norms;
}

// True for exponents for which the stock kernel of pow multiplies, divides or takes a reciprocal root: the bits of an element
// do not depend on its place.
bool is_stable_exponent(double exponent) {
  constexpr std::array kStable{0.0, 1.0, 2.0, 3.0, -0.5, -1.0, -2.0};
  return std::find(kStable.begin(), kStable.end(), exponent) != kStable.end();
}

// pow of a single number by 2 rounds to the norm grid, because total norms are built from such squares: see NOTE [norms of
// norms].
Tensor exact_power(const Tensor& x, const Scalar& exponent) {
  if (x.dim() == 0 && exponent.toDouble() == 2) return snapped(steps::mul(x, x), kNormBits);
  if (exponent.toDouble() == 0.5) return steps::root(x);
  if (is_stable_exponent(exponent.toDouble())) return at::cpu::pow(x, exponent);
  return on_whole_vectors(x, [&](const Tensor& t) { return at::cpu::pow(t, exponent); });
}

Tensor pow_of(const Tensor& x, const Scalar& exponent) {
  return takes_stable_path(x) ? exact_power(x, exponent) : at::cpu::pow(x, exponent);
}

Tensor& pow_in_place(Tensor& x, const Scalar& exponent) {
  return takes_stable_path(x) ? steps::overwrite(x, exact_power(x, exponent)) : at::cpu::pow_(x, exponent);
}

Tensor& pow_out(const Tensor& x, const Scalar& exponent, Tensor& out) {
  return takes_stable_path(x) ? steps::put(out, exact_power(x, exponent)) : at::cpu::pow_outf(x, exponent, out);
}

}  // namespace

void add_vector_norms(KernelSet& kernels) {
  kernels.add("linalg_vector_norm", TORCH_FN(vector_norm));
  kernels.add("linalg_vector_norm.out", TORCH_FN(vector_norm_out));
  kernels.add("norm.ScalarOpt_dim", TORCH_FN(norm));
  kernels.add("_foreach_norm.Scalar", TORCH_FN(foreach_norm));
  kernels.add("pow.Tensor_Scalar", TORCH_FN(pow_of));
  kernels.add("pow_.Scalar", TORCH_FN(pow_in_place));
  kernels.add("pow.Tensor_Scalar_out", TORCH_FN(pow_out));
}

// Layer normalization: exact means, and exact sums for the gradients of weight and bias. Results are contiguous, as the stock
// kernel's are.
namespace {

using at::Tensor;
using Optional = std::optional<Tensor>;

bool present(const Optional& tensor) { return tensor && tensor->defined(); }

std::vector<int64_t> dims(int64_t first, int64_t end) {
  std::vector<int64_t> all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::tuple<Tensor, Tensor, Tensor> layer_norm(const Tensor& x, at::IntArrayRef shape, const Optional& weight,
                                              const Optional& bias, double epsilon) {
  constexpr const char* op = "aten::native_layer_norm";
  if (!takes_exact_path(op, x)) return at::cpu::native_layer_norm(x, shape, weight, bias, epsilon);
  const auto normed = dims(x.dim() - static_cast<int64_t>(shape.size()), x.dim());
  const Tensor rows = in_rows(x), mean = exact_mean(rows, normed, true, op);
  const Tensor centred = steps::sub(rows, mean);
  const Tensor variance = exact_mean(steps::mul(centred, centred), normed, true, op);
  const Tensor scale = at::cpu::rsqrt(steps::add(variance, epsilon));
  Tensor y = steps::mul(centred, scale);
  if (present(weight)) y = steps::mul(y, *weight);
  if (present(bias)) y = steps::add(y, *bias);
  return {y, mean, scale};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& gradient, const Tensor& x, at::IntArrayRef shape,
                                                       const Tensor& mean, const Tensor& scale, const Optional& weight,
                                                       const Optional& bias, std::array<bool, 3> wanted) {
  constexpr const char* op = "aten::native_layer_norm_backward";
  if (!takes_exact_path(op, gradient, x))
    return at::cpu::native_layer_norm_backward(gradient, x, shape, mean, scale, weight, bias, wanted);
  const int64_t first = x.dim() - static_cast<int64_t>(shape.size());
  const auto normed = dims(first, x.dim()), others = dims(0, first);
  const auto over_others = [&](const Tensor& terms) {
    return others.empty() ? steps::put_in(steps::room_for(terms), terms) : exact_sum(terms, others, false, op);
  };
  const Tensor g = in_rows(gradient);
  const Tensor y = steps::mul(steps::sub(in_rows(x), mean), scale);
  Tensor to_x, to_weight, to_bias;
  if (wanted[0]) {
    const Tensor to_y = present(weight) ? steps::mul(g, *weight) : g;
    const Tensor centred = steps::sub(to_y, exact_mean(to_y, normed, true, op));
    const Tensor along = steps::mul(y, exact_mean(steps::mul(to_y, y), normed, true, op));
    to_x = steps::mul(steps::sub(centred, along), scale);
  }
  if (wanted[1] && present(weight)) to_weight = over_others(steps::mul(g, y));
  if (wanted[2] && present(bias)) to_bias = over_others(g);
  return {to_x, to_weight, to_bias};
}

}  // namespace

void add_layer_norms(KernelSet& kernels) {
  kernels.add("native_layer_norm", TORCH_FN(layer_norm));
  kernels.add("native_layer_norm_backward", TORCH_FN(layer_norm_backward));
}

}  // namespace ordercheck::ranks
