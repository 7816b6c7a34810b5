// Sums and means in steps of other kernels of this room, as the exact kernels of at::sum and at::mean give them. Float64.
#pragma once

#include "ranks/cuda/steps.h"

namespace ordercheck::ranks::on_device {

Tensor sum_of(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what);
Tensor mean_of(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what);

}  // namespace ordercheck::ranks::on_device
