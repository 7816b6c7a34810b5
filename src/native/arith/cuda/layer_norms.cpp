// As layer normalization in native/arith/vector_norms.cpp: exact means, and exact sums for the gradients of weight and bias.
#include <numeric>

#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/means.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

using Optional = std::optional<Tensor>;

bool is_there(const Optional& tensor) { return tensor && tensor->defined(); }

std::vector<int64_t> dims_from(int64_t first, int64_t end) {
  std::vector<int64_t> all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::tuple<Tensor, Tensor, Tensor> layer_norm(const Tensor& x, at::IntArrayRef shape, const Optional& weight,
                                              const Optional& bias, double epsilon) {
  constexpr const char* op = "aten::native_layer_norm";
  const auto normed = dims_from(x.dim() - static_cast<int64_t>(shape.size()), x.dim());
  const Tensor rows = in_rows(x), mean = mean_of(rows, normed, true, op);
  const Tensor centred = minus(rows, mean);
  const Tensor variance = mean_of(times(centred, centred), normed, true, op);
  const Tensor scale = at::rsqrt(plus(variance, epsilon));
  Tensor y = times(centred, scale);
  if (is_there(weight)) y = times(y, *weight);
  if (is_there(bias)) y = plus(y, *bias);
  return {y, mean, scale};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& gradient, const Tensor& x, at::IntArrayRef shape,
                                                       const Tensor& mean, const Tensor& scale, const Optional& weight,
                                                       const Optional& bias, std::array<bool, 3> wanted) {
  constexpr const char* op = "aten::native_layer_norm_backward";
  const int64_t first = x.dim() - static_cast<int64_t>(shape.size());
  const auto normed = dims_from(first, x.dim()), others = dims_from(0, first);
  const auto over_others = [&](const Tensor& terms) {
    return others.empty() ? put_in(room_for(terms), terms) : sum_of(terms, others, false, op);
  };
  const Tensor g = in_rows(gradient);
  const Tensor y = times(minus(in_rows(x), mean), scale);
  Tensor to_x, to_weight, to_bias;
  if (wanted[0]) {
    const Tensor to_y = is_there(weight) ? times(g, *weight) : g;
    const Tensor centred = minus(to_y, mean_of(to_y, normed, true, op));
    const Tensor along = times(y, mean_of(times(to_y, y), normed, true, op));
    to_x = times(minus(centred, along), scale);
  }
  if (wanted[1] && is_there(weight)) to_weight = over_others(times(g, y));
  if (wanted[2] && is_there(bias)) to_bias = over_others(g);
  return {to_x, to_weight, to_bias};
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_layer_norms() {
  using c10::KernelFunction;
  return {{{"native_layer_norm"}, sums_of({0}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::layer_norm))},
          {{"native_layer_norm_backward"},
           sums_of({0, 1}),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::layer_norm_backward))}};
}

}  // namespace ordercheck::ranks
