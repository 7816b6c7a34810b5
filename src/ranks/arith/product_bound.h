// A bound on what a contraction adds up.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// a [M, K] times b [K, N], or batched; both snapped to half of `bits`. By Cauchy and Schwarz the largest norm of a row of `a`
// times that of a column of `b` bounds the sum of |a||b| of every element. Notes it (range.h): throws OutOfRange. Any thread.
void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what);

}  // namespace ordercheck::ranks
