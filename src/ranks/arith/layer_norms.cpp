// Layer normalization: its means, and the sums of its weight's and bias's gradients. Results are contiguous, as the stock
// kernel's are.
#include <numeric>

#include <ATen/CPUFunctions.h>

#include "ranks/arith/exact_sums.h"
#include "ranks/arith/exactness.h"
#include "ranks/arith/kernel_set.h"
#include "ranks/arith/snap.h"
#include "ranks/arith/steps.h"

namespace ordercheck::ranks {
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
