// Compares two tensors bit for bit.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Compares dtype, sizes and bits but not strides: -0 differs from 0, and NaN equals the same NaN.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace ordercheck::ranks
