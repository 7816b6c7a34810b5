// Rounds numbers to a grid, the basic operation of exact arithmetic.
//
// snap(x, p) = (x + C) - C with C = 1.5 * 2^(52-p) rounds a float64 to the nearest multiple of 2^-p (ties to even) while |x| <
// 2^(51-p). Operands snapped to 2^-20 have products that are multiples of 2^-40. A sum of those below 2^13 never rounds, so
// order, tiling, kernel and degree stop mattering. This is the pre-rounding of Demmel and Nguyen (Fast Reproducible
// Floating-Point Summation); rounding the operands too makes stock contractions exact.
//
// These are functions inside kernels, not operators: nothing captures, counts or folds them. Stateless; any thread.
#pragma once

#include <cmath>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Returns C of the formula.
inline double snap_constant(int bits) { return 1.5 * std::ldexp(1.0, 52 - bits); }

// Returns `x` rounded to multiples of 2^-bits, in a new tensor with its sizes, and its strides if it is dense, otherwise
// contiguous. Float64 only. Calls leave_range() (range.h) if a value is too large for the grid.
at::Tensor snapped(const at::Tensor& x, int bits);

// The same for `count` contiguous numbers; `out` may be `in`.
void snap(const double* in, double* out, int64_t count, int bits);

// Returns `x` if it is contiguous, else a contiguous copy.
at::Tensor in_rows(const at::Tensor& x);

}  // namespace ordercheck::ranks
