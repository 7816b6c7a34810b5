// Multiplies float64 matrices with a narrow dimension, such as attention heads, for which the stock kernel mostly costs call
// overhead.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Returns at::bmm(a, b). Bits are those of at::bmm if no sum rounds: operands on a grid and in range. Float64. Stateless; any
// thread.
at::Tensor product_on_grid(const at::Tensor& a, const at::Tensor& b);

// Checks that the sums of the product a * b are exact. `a` is [M, K] and `b` is [K, N], or batched; both are rounded to
// multiples of 2^-(bits/2), so that products are multiples of 2^-bits. By Cauchy-Schwarz, the largest row norm of `a` times the
// largest column norm of `b` bounds the sum of |a||b| of every element. Passes this bound to note_sum() (range.h), which throws
// OutOfRange if it is too large. Any thread.
void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what);

}  // namespace ordercheck::ranks
