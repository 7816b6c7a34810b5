#include "native/module/attention.h"

#include <cmath>

#include <ATen/ATen.h>

namespace ordercheck::ranks {
namespace {

// Rotates pairs (first half, second half) of the last dim of x [batch, sequence, heads, head_dim] by position *
// theta^(-2i/head_dim). Rotate before transposing the heads: halves of transposed heads look channels-last, and at::cat would
// keep that layout. The fused attention kernel needs contiguous features per head.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& positions, double theta) {
  const int64_t half = x.size(-1) / 2;
  const at::Tensor exponent = at::arange(half, x.options()) * (-2.0 / static_cast<double>(x.size(-1)));
  const at::Tensor frequency = at::exp(exponent * std::log(theta));
  const at::Tensor angle = (positions.to(x.scalar_type()).unsqueeze(-1) * frequency).unsqueeze(1);
  const at::Tensor cosine = angle.cos();
  const at::Tensor sine = angle.sin();
  const at::Tensor first = x.narrow(-1, 0, half);
  const at::Tensor second = x.narrow(-1, half, half);
  return at::cat({first * cosine - second * sine, second * cosine + first * sine}, -1);
}

at::Tensor split_heads(const at::Tensor& x, int head_dim) { return x.view({x.size(0), x.size(1), -1, head_dim}); }

}  // namespace

at::Tensor InnerAttention::forward(const Tensors& inputs) {
  std::optional<at::Tensor> mask;
  if (inputs.size() > 3) mask = inputs[3];
  return at::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], mask, /*dropout_p=*/0.0, /*is_causal=*/!mask,
                                          /*scale=*/std::nullopt, /*enable_gqa=*/true);
}

at::Tensor Attention::forward(const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const int64_t batch = x.size(0), length = x.size(1);
  // As torchtitan, slice the rotary table to the length of the input.
  const at::Tensor positions = inputs[1].narrow(0, 0, length);
  const int head_dim = options_.head_dim;
  const at::Tensor q = rotate(split_heads(child("wq")->call({x}), head_dim), positions, options_.rope_theta).transpose(1, 2);
  const at::Tensor k = rotate(split_heads(child("wk")->call({x}), head_dim), positions, options_.rope_theta).transpose(1, 2);
  const at::Tensor v = split_heads(child("wv")->call({x}), head_dim).transpose(1, 2);
  const at::Tensor out = child("inner_attention")->call({q, k, v});
  return child("wo")->call({out.transpose(1, 2).reshape({batch, length, -1})});
}

}  // namespace ordercheck::ranks
