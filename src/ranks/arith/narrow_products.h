// The product of matrices of which one is narrow, as a head of attention is: there the stock kernel spends its time on calls.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// at::bmm, bit for bit as long as no sum rounds: of operands on a grid, in range. Float64. Free of state; any thread.
at::Tensor product_on_grid(const at::Tensor& a, const at::Tensor& b);

}  // namespace ordercheck::ranks
