// Provides the float64 steps that softmax, log-softmax and attention share.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Computes x minus the maximum of its row along `dim` (0 if infinite), the exponentials of that, and their sum with keepdim.
// The maximum comes first, unlike in an online softmax: a running maximum would depend on how the row is split.
struct Exponentials {
  at::Tensor shifted, values, sum;
};
Exponentials exponentials(const at::Tensor& x, int64_t dim, const char* what);

// Returns the gradient of a softmax with result `y`.
at::Tensor softmax_gradient(const at::Tensor& gradient, const at::Tensor& y, int64_t dim, const char* what);

// As exponentials(), with equal bits, for attention scores: along the last dim of a contiguous tensor, and faster where a mask
// hid scores (-inf). Also returns each row's maximum.
struct SeenExponentials {
  at::Tensor largest, values, sum;
};
SeenExponentials seen_exponentials(const at::Tensor& scores, const char* what);

}  // namespace ordercheck::ranks
