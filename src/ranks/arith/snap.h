// Rounding to a grid: the one operator that exact arithmetic is made of.
//
// snap(x, p) = (x + C) - C with C = 1.5 * 2^(52-p) rounds a float64 to the nearest multiple of 2^-p (ties to even) while
// |x| < 2^(51-p). Operands snapped to 2^-20 have products that are multiples of 2^-40, and a sum of those below 2^13
// never rounds: order, tiling, kernel and degree stop mattering. After Demmel and Nguyen's pre-rounding of summands
// (Fast Reproducible Floating-Point Summation); rounding the operands too makes stock contractions exact.
//
// `ordercheck::snap` is an operator of its own, with an autograd formula that snaps too, so that capture keeps it and no
// compiler pass folds it. Free of state; any thread.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Rounds the value to 2^-forward_bits, and its gradient to 2^-backward_bits. 0: left as it is on that way. A result
// snapped on neither way is the input itself. Float64 only; throws OutOfRange for a value too large for the grid.
at::Tensor snap(const at::Tensor& x, int64_t forward_bits, int64_t backward_bits);

// The operator alone, not differentiable: for use inside autograd functions.
at::Tensor rounded(const at::Tensor& x, int64_t bits);

}  // namespace ordercheck::ranks
