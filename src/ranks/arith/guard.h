// Bounds on what a contraction or a sum adds up, noted with the range guard (range.h).
//
// Each is an operator of its own without a result (`ordercheck::guard_product`, `ordercheck::guard_sum`), so that whoever
// captures a computation captures its guards too and a replay is guarded like the first run. Not differentiable; float64
// only; throws OutOfRange. Any thread.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// a [M, K] times b [K, N], or batched; the terms of every sum are multiples of 2^-bits.
void guard_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what);

// Which elements of a contiguous tensor are added up: those of a row (the last dim), or those that stand in one column
// (all other dims).
enum class Along { row, column };
void guard_sum(const at::Tensor& terms, Along along, int bits, const char* what);

}  // namespace ordercheck::ranks
