// Whether a GPU multiplies matrices of float64 in float64: exact kernels rest on it.
//
// cuBLAS 13 can compose a float64 product of several of integers, with as many bits as it thinks fit (an environment variable turns
// that on), which is exact for most operands and not for those below.
#pragma once

#include <functional>
#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Sets the variables of cuBLAS's emulation to 0 where they are not set. What stands against it, or "": "CUBLAS_EMULATE_DOUBLE_PRECISION=1:
// expected 0 or nothing, since an emulated product of float64 is not one of float64". Before cuBLAS is first asked for anything.
std::string settle_emulation();

// Multiplies matrices whose product needs more than 55 bits of a row, and some with infinities and NaN. What did not come out as
// IEEE 754 says, or "": "float64 products on cuda: ...". `multiply` is at::mm on the device in question.
using Multiply = std::function<at::Tensor(const at::Tensor& a, const at::Tensor& b)>;
std::string fault_of_products(const Multiply& multiply, const at::TensorOptions& options);

}  // namespace ordercheck::ranks
