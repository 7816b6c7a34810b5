// The operators in which numbers are summed, in the three arithmetics. Model code is written with these; everything else
// it uses is elementwise and rounds the same whatever the layout.
//
//   exact   float64; operands of contractions snapped to 2^-grid, summands to 2^-kSumBits
//   plain   float64, the same operators without the grid
//   native  float32, the same operators without the grid
//
// A plain value that modules carry; any thread. In exact arithmetic every contraction and sum notes its bound with the
// range guard and throws OutOfRange past it.
#pragma once

#include <ATen/core/Tensor.h>

#include "stack/case.h"

namespace ordercheck::ranks {

struct Numerics {
  Arithmetic arithmetic = Arithmetic::exact;
  int grid = 20;

  bool exact() const { return arithmetic == Arithmetic::exact; }
  at::ScalarType dtype() const { return arithmetic == Arithmetic::float32 ? at::kFloat : at::kDouble; }
};

// Terms of sums other than contractions are multiples of 2^-kSumBits; the squares of a total norm, which are small, of
// 2^-kNormBits.
inline constexpr int kSumBits = 36;
inline constexpr int kNormBits = 40;

// x [..., K] times the transpose of w [N, K]: [..., N]. Saves x and w themselves for backward, as at::linear does, so
// that whoever frees and restores a parameter's storage is exercised.
at::Tensor linear(const Numerics& numerics, const at::Tensor& x, const at::Tensor& w);

// a [n, M, K] times b [n, K, N]: [n, M, N].
at::Tensor batched_matmul(const Numerics& numerics, const at::Tensor& a, const at::Tensor& b);

// The sum over the last dim, kept as 1. Its terms are snapped; the gradient is broadcast.
at::Tensor sum_terms(const Numerics& numerics, const at::Tensor& terms);

// x broadcast to `like`'s sizes, along the last dim or along all others; the gradient's terms are snapped before they are
// summed back.
at::Tensor broadcast_to(const Numerics& numerics, const at::Tensor& x, const at::Tensor& like);

// x unchanged; its gradient snapped, for a place where a stock operator's backward adds up rows of it.
at::Tensor gradient_terms(const Numerics& numerics, const at::Tensor& x);

// The sum of squares of all elements, as a 0-dim tensor: what a total norm is made of. Not differentiable.
at::Tensor sum_of_squares(const Numerics& numerics, const at::Tensor& x);

}  // namespace ordercheck::ranks
