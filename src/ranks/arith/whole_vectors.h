// Elementwise kernels on elements that lie side by side, padded with ones, so that no element is a left-over of a vector, which
// some kernels round otherwise. Float64; operands are broadcast, the result lies as the stock kernel lays its own.
#pragma once

#include <algorithm>
#include <vector>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/expand_native.h>

#include "ranks/arith/snap.h"
#include "ranks/arith/steps.h"

namespace ordercheck::ranks {

// A multiple of every vector's width, and of what a loop is unrolled by.
inline constexpr int64_t kWholeVectors = 64;

inline at::Tensor padded(const at::Tensor& x, at::IntArrayRef sizes) {
  const at::Tensor in = in_rows(at::native::expand(x, sizes, /*implicit=*/false));
  at::Tensor out = at::detail::empty_cpu({(in.numel() + kWholeVectors - 1) / kWholeVectors * kWholeVectors}, in.options());
  double* const to = out.mutable_data_ptr<double>();
  std::fill(std::copy_n(in.const_data_ptr<double>(), in.numel(), to), to + out.numel(), 1.0);
  return out;
}

inline at::Tensor unpadded(const at::Tensor& result, const at::Tensor& room) {
  at::Tensor out = at::detail::empty_cpu(room.sizes(), result.options());
  std::copy_n(result.const_data_ptr<double>(), out.numel(), out.mutable_data_ptr<double>());
  return room.is_contiguous() ? out : steps::put_in(room, out);
}

template <typename Stock>
at::Tensor on_whole_vectors(const at::Tensor& x, Stock stock) {
  return unpadded(stock(padded(x, x.sizes())), steps::room_for(x));
}

template <typename Stock>
at::Tensor on_whole_vectors(const at::Tensor& a, const at::Tensor& b, Stock stock) {
  const std::vector<int64_t> sizes = at::infer_size(a.sizes(), b.sizes());
  return unpadded(stock(padded(a, sizes), padded(b, sizes)), steps::room_for(a, b));
}

}  // namespace ordercheck::ranks
