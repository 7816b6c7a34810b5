// What softmax, its logarithm and attention share. Float64.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Of rows along `dim`: x minus the row's maximum (0 where that is infinite), the exponentials of that, and their sum, kept as
// a dim of 1. The maximum is taken first, never carried along as a running softmax does: what it is subtracted from would
// depend on how the row is cut.
struct Exponentials {
  at::Tensor shifted, values, sum;
};
Exponentials exponentials(const at::Tensor& x, int64_t dim, const char* what);

// The gradient of a softmax whose result is `y`.
at::Tensor softmax_gradient(const at::Tensor& gradient, const at::Tensor& y, int64_t dim, const char* what);

// The exponentials of attention's scores.

// As exponentials() of softmax.h gives them for the last dim of a contiguous tensor, to the bit, and the largest of each row.
struct SeenExponentials {
  at::Tensor largest, values, sum;
};
SeenExponentials seen_exponentials(const at::Tensor& scores, const char* what);

}  // namespace ordercheck::ranks
