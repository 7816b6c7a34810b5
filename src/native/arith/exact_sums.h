// Provides exact float64 sums and means for use inside other exact kernels, bit-equal to the exact kernels of at::sum and
// at::mean. `what` names the calling operator in errors.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

at::Tensor exact_sum(const at::Tensor& x, at::OptionalIntArrayRef dims, bool keepdim, const char* what);
at::Tensor exact_mean(const at::Tensor& x, at::OptionalIntArrayRef dims, bool keepdim, const char* what);

}  // namespace ordercheck::ranks
