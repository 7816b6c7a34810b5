// Runs elementwise kernels on contiguous elements, padded with ones, as native/arith/whole_vectors.h. GPU kernels too load
// vectors and handle the remainder in another kernel.
#pragma once

#include <ATen/ExpandUtils.h>

#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"

namespace ordercheck::ranks::on_device {

inline Tensor padded_row(const Tensor& x, at::IntArrayRef sizes) {
  constexpr int64_t kWhole = 64;
  const Tensor in = in_rows(x.expand(sizes));
  Tensor out = at::ones({(in.numel() + kWhole - 1) / kWhole * kWhole}, in.options());
  out.narrow(0, 0, in.numel()).copy_(in.view(-1));
  return out;
}

inline Tensor without_padding(const Tensor& result, const Tensor& room) {
  const Tensor out = at::empty(room.sizes(), result.options()).copy_(result.narrow(0, 0, room.numel()).view(room.sizes()));
  return room.is_contiguous() ? out : put_in(room, out);
}

template <typename Stock>
Tensor on_whole_vectors(const Tensor& x, Stock stock) {
  return without_padding(stock(padded_row(x, x.sizes())), room_for(x));
}

template <typename Stock>
Tensor on_whole_vectors(const Tensor& a, const Tensor& b, Stock stock) {
  const std::vector<int64_t> sizes = at::infer_size(a.sizes(), b.sizes());
  return without_padding(stock(padded_row(a, sizes), padded_row(b, sizes)), room_for(a, b));
}

}  // namespace ordercheck::ranks::on_device
