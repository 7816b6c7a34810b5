// Sums and means in steps of other kernels, as the exact kernels of at::sum and at::mean give them. Float64.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

at::Tensor exact_sum(const at::Tensor& x, at::OptionalIntArrayRef dims, bool keepdim, const char* what);
at::Tensor exact_mean(const at::Tensor& x, at::OptionalIntArrayRef dims, bool keepdim, const char* what);

}  // namespace ordercheck::ranks
