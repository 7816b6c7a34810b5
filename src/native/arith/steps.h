// Provides the elementwise float64 operations that exact kernels are built from, one rounding per element. They call ATen's CPU
// kernels without the dispatcher. The result of an element does not depend on its place in the tensor.
#pragma once

#include <ATen/CPUFunctions.h>
#include <ATen/ScalarOps.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy_native.h>

namespace ordercheck::ranks::steps {

inline at::Tensor number(double value) { return at::native::wrapped_scalar_tensor(value); }

// Adds two tensors as the exact kernel of at::add does, on the addition grid.
at::Tensor add(const at::Tensor& a, const at::Tensor& b);
inline at::Tensor add(const at::Tensor& a, double b) { return at::cpu::add(a, number(b)); }
inline at::Tensor sub(const at::Tensor& a, const at::Tensor& b) { return at::cpu::sub(a, b); }
inline at::Tensor sub(double a, const at::Tensor& b) { return at::cpu::sub(number(a), b); }
inline at::Tensor mul(const at::Tensor& a, const at::Tensor& b) { return at::cpu::mul(a, b); }
inline at::Tensor mul(const at::Tensor& a, double b) { return at::cpu::mul(a, number(b)); }
inline at::Tensor div(const at::Tensor& a, const at::Tensor& b) { return at::cpu::div(a, b); }
inline at::Tensor div(const at::Tensor& a, double b) { return at::cpu::div(a, number(b)); }

// room_for() allocates a result with the strides that the stock elementwise kernel would give it. put_in() copies a value
// there.
inline at::Tensor room_for(const at::Tensor& x) { return at::cpu::neg(x); }
inline at::Tensor room_for(const at::Tensor& a, const at::Tensor& b) { return at::cpu::maximum(a, b); }
inline at::Tensor put_in(at::Tensor room, const at::Tensor& value) { return at::native::copy_(room, value); }

// std::sqrt rounds correctly, as IEEE 754 requires. at::sqrt uses MKL's vector library, which on some processors is off by one
// bit for 1% of all numbers: digests would then differ between machines.
at::Tensor root(const at::Tensor& x);

// Compute 1 / (1 + exp(-x)) and x / (1 + exp(-x)).
at::Tensor sigmoid(const at::Tensor& x);
at::Tensor silu(const at::Tensor& x);

// For the `out` and in-place forms of an operator: the kernel computes the value in a new tensor, then copies it to `out` or
// `self`.
inline at::Tensor& put(at::Tensor& out, const at::Tensor& value) {
  at::native::resize_output(out, value.sizes());
  return at::native::copy_(out, value);
}
inline at::Tensor& overwrite(at::Tensor& self, const at::Tensor& value) { return at::native::copy_(self, value); }

}  // namespace ordercheck::ranks::steps
