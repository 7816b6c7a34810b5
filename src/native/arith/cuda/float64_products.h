// Checks that a GPU multiplies float64 matrices in float64, which exact kernels need.
//
// If an environment variable enables it, cuBLAS 13 emulates a float64 product by integer products, with as many bits as it
// chooses. The result is exact for most operands, but not for those tested here.
#pragma once

#include <functional>
#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Sets cuBLAS's environment variables for emulation to 0 if they are unset. Returns an error if one has another value, or "".
// Call it before the first use of cuBLAS.
std::string settle_emulation();

// Multiplies matrices with a row that needs more than 55 bits, and matrices with infinities and NaN. Returns the first
// deviation from IEEE 754 ("float64 products on cuda ..."), or "". `multiply` is at::mm on the tested device.
using Multiply = std::function<at::Tensor(const at::Tensor& a, const at::Tensor& b)>;
std::string fault_of_products(const Multiply& multiply, const at::TensorOptions& options);

}  // namespace ordercheck::ranks
