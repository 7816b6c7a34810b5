// Provides the elementwise float64 operations that exact kernels of any device are built from, by stock operators (see
// stock_scope.h). One rounding per element, as in native/arith/steps.h for CPUs.
#pragma once

#include <ATen/ATen.h>

namespace ordercheck::ranks::on_device {

using at::OptionalIntArrayRef;
using at::Scalar;
using at::Tensor;

// Adds two tensors as the exact kernel of at::add does, on the addition grid.
Tensor plus(const Tensor& a, const Tensor& b);
inline Tensor plus(const Tensor& a, double b) { return at::add(a, b); }
inline Tensor minus(const Tensor& a, const Tensor& b) { return at::sub(a, b); }
inline Tensor minus(double a, const Tensor& b) { return at::rsub(b, a); }
inline Tensor times(const Tensor& a, const Tensor& b) { return at::mul(a, b); }
inline Tensor times(const Tensor& a, double b) { return at::mul(a, b); }
inline Tensor over(const Tensor& a, const Tensor& b) { return at::div(a, b); }
// Divide by a device tensor: for a host scalar, a GPU multiplies by the rounded reciprocal.
inline Tensor over(const Tensor& a, double b) { return at::div(a, at::full({}, b, a.options())); }

// room_for() allocates a result with the strides that the stock elementwise kernel would give it. put_in() copies a value
// there.
inline Tensor room_for(const Tensor& x) { return at::neg(x); }
inline Tensor room_for(const Tensor& a, const Tensor& b) { return at::maximum(a, b); }
inline Tensor put_in(const Tensor& room, const Tensor& value) { return room.copy_(value); }

}  // namespace ordercheck::ranks::on_device
