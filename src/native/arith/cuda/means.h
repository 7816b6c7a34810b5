// Provides exact float64 sums and means for use inside other exact kernels, bit-equal to the exact kernels of at::sum and
// at::mean. `what` names the calling operator in errors.
#pragma once

#include "native/arith/cuda/steps.h"

namespace ordercheck::ranks::on_device {

Tensor sum_of(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what);
Tensor mean_of(const Tensor& x, OptionalIntArrayRef dims, bool keepdim, const char* what);

}  // namespace ordercheck::ranks::on_device
