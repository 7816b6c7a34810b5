// Steps within a kernel: one rounding per element, by ATen's own CPU kernels without the dispatcher, which give an element
// the same bits wherever it lies. All take and return float64.
#pragma once

#include <ATen/CPUFunctions.h>
#include <ATen/ScalarOps.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy_native.h>

namespace ordercheck::ranks::steps {

inline at::Tensor number(double value) { return at::native::wrapped_scalar_tensor(value); }

// Of two tensors, as the exact kernel of at::add gives it: on the grid of additions.
at::Tensor add(const at::Tensor& a, const at::Tensor& b);
inline at::Tensor add(const at::Tensor& a, double b) { return at::cpu::add(a, number(b)); }
inline at::Tensor sub(const at::Tensor& a, const at::Tensor& b) { return at::cpu::sub(a, b); }
inline at::Tensor sub(double a, const at::Tensor& b) { return at::cpu::sub(number(a), b); }
inline at::Tensor mul(const at::Tensor& a, const at::Tensor& b) { return at::cpu::mul(a, b); }
inline at::Tensor mul(const at::Tensor& a, double b) { return at::cpu::mul(a, number(b)); }
inline at::Tensor div(const at::Tensor& a, const at::Tensor& b) { return at::cpu::div(a, b); }
inline at::Tensor div(const at::Tensor& a, double b) { return at::cpu::div(a, number(b)); }

// Memory for an elementwise result. It lies as the stock kernels lay theirs, which the operands' strides decide.
inline at::Tensor room_for(const at::Tensor& x) { return at::cpu::neg(x); }
inline at::Tensor room_for(const at::Tensor& a, const at::Tensor& b) { return at::cpu::maximum(a, b); }
inline at::Tensor put_in(at::Tensor room, const at::Tensor& value) { return at::native::copy_(room, value); }

// IEEE 754 rounds a square root correctly, and so does std::sqrt. at::sqrt asks MKL's vector library, which on some
// processors is off by one bit in a hundredth of all numbers: a record would have another digest on another machine.
at::Tensor root(const at::Tensor& x);

// 1 / (1 + exp(-x)) and x / (1 + exp(-x)).
at::Tensor sigmoid(const at::Tensor& x);
at::Tensor silu(const at::Tensor& x);

// For the `out` and in-place forms of a kernel: the value is made first, then copied to where it is wanted.
inline at::Tensor& put(at::Tensor& out, const at::Tensor& value) {
  at::native::resize_output(out, value.sizes());
  return at::native::copy_(out, value);
}
inline at::Tensor& overwrite(at::Tensor& self, const at::Tensor& value) { return at::native::copy_(self, value); }

}  // namespace ordercheck::ranks::steps
