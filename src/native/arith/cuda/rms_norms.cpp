// Exact RMSNorm for GPUs, which have one fused kernel for it. Forward uses the steps of ATen's rms_norm_composite, as a CPU
// does, so that both round alike. Backward uses the stock kernel's formula with exact sums.
#include <limits>
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

std::vector<int64_t> dims_between(int64_t first, int64_t end) {
  std::vector<int64_t> all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::tuple<Tensor, Tensor> rms_norm(const Tensor& x, at::IntArrayRef shape, const Optional& weight,
                                    std::optional<double> epsilon) {
  const auto normed = dims_between(x.dim() - static_cast<int64_t>(shape.size()), x.dim());
  const Tensor rows = in_rows(x), squares = times(rows, rows);
  const Tensor mean = mean_of(squares, normed, true, "aten::_fused_rms_norm");
  const Tensor scale = at::rsqrt(plus(mean, epsilon.value_or(std::numeric_limits<double>::epsilon())));
  const Tensor y = times(rows, scale);
  return {weight && weight->defined() ? times(y, *weight) : y, scale};
}

std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& gradient, const Tensor& x, at::IntArrayRef shape,
                                             const Tensor& scale, const Optional& weight, std::array<bool, 2> wanted) {
  constexpr const char* op = "aten::_fused_rms_norm_backward";
  const int64_t first = x.dim() - static_cast<int64_t>(shape.size());
  const auto normed = dims_between(first, x.dim()), others = dims_between(0, first);
  const bool weighs = weight && weight->defined();
  const Tensor g = in_rows(gradient), y = times(in_rows(x), scale);
  Tensor to_x, to_weight;
  if (wanted[0]) {
    const Tensor to_y = weighs ? times(g, *weight) : g;
    to_x = times(minus(to_y, times(y, mean_of(times(to_y, y), normed, true, op))), scale);
  }
  if (wanted[1] && weighs) {
    const Tensor terms = times(g, y);
    to_weight = others.empty() ? put_in(room_for(terms), terms) : sum_of(terms, others, false, op);
  }
  return {to_x, to_weight};
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_rms_norms() {
  using c10::KernelFunction;
  return {{{"_fused_rms_norm"}, sums_of({0}), KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::rms_norm))},
          {{"_fused_rms_norm_backward"},
           sums_of({0, 1}),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::rms_norm_backward))}};
}

}  // namespace ordercheck::ranks
