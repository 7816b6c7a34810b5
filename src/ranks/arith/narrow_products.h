// The product of matrices of which one is narrow, as a head of attention is: there the stock kernel spends its time on calls.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// at::bmm, bit for bit as long as no sum rounds: of operands on a grid, in range. Float64. Free of state; any thread.
at::Tensor product_on_grid(const at::Tensor& a, const at::Tensor& b);

// A bound on what a contraction adds up.

// a [M, K] times b [K, N], or batched; both snapped to half of `bits`. By Cauchy and Schwarz the largest norm of a row of `a`
// times that of a column of `b` bounds the sum of |a||b| of every element. Notes it (range.h): throws OutOfRange. Any thread.
void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what);

}  // namespace ordercheck::ranks
