// Whether two tensors are the same to the bit.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Dtype, sizes and bits; not how they lie in memory. So -0 is not 0, and what is not a number is itself.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace ordercheck::ranks
