// Rounding to a grid: the one operation that exact arithmetic is made of.
//
// snap(x, p) = (x + C) - C with C = 1.5 * 2^(52-p) rounds a float64 to the nearest multiple of 2^-p (ties to even) while
// |x| < 2^(51-p). Operands snapped to 2^-20 have products that are multiples of 2^-40, and a sum of those below 2^13
// never rounds: order, tiling, kernel and degree stop mattering. After Demmel and Nguyen's pre-rounding of summands
// (Fast Reproducible Floating-Point Summation); rounding the operands too makes stock contractions exact.
//
// A function inside of kernels, not an operator: nothing captures it, counts it or folds it. Free of state; any thread.
#pragma once

#include <cmath>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// C of the formula.
inline double snap_constant(int bits) { return 1.5 * std::ldexp(1.0, 52 - bits); }

// A new tensor of the same sizes; also of the same strides where `x` is dense, otherwise contiguous. Float64 only; leaves the
// range (range.h) for a value too large for the grid.
at::Tensor snapped(const at::Tensor& x, int bits);

// The same of numbers that lie side by side; `out` may be `in`.
void snap(const double* in, double* out, int64_t count, int bits);

// `x` itself where it is contiguous, else a copy that is.
at::Tensor in_rows(const at::Tensor& x);

}  // namespace ordercheck::ranks
