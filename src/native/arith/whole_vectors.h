// Runs stock elementwise float64 kernels on a contiguous copy, padded with ones to whole SIMD vectors. Some kernels round the
// remainder of a vector loop differently; padding leaves no remainder. Operands are broadcast. The result has the strides that
// the stock kernel would give it.
#pragma once

#include <algorithm>
#include <vector>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/expand_native.h>

#include "native/arith/snap.h"
#include "native/arith/steps.h"

namespace ordercheck::ranks {

// A multiple of every vector width and unroll factor.
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
