// Steps within an exact kernel of any device: one rounding per element, by stock operators (see stock_scope.h), as those of
// ranks/arith/steps.h for CPUs. All take and return float64.
#pragma once

#include <ATen/ATen.h>

namespace ordercheck::ranks::on_device {

using at::OptionalIntArrayRef;
using at::Scalar;
using at::Tensor;

// Of two tensors, as the exact kernel of at::add gives it: on the grid of additions.
Tensor plus(const Tensor& a, const Tensor& b);
inline Tensor plus(const Tensor& a, double b) { return at::add(a, b); }
inline Tensor minus(const Tensor& a, const Tensor& b) { return at::sub(a, b); }
inline Tensor minus(double a, const Tensor& b) { return at::rsub(b, a); }
inline Tensor times(const Tensor& a, const Tensor& b) { return at::mul(a, b); }
inline Tensor times(const Tensor& a, double b) { return at::mul(a, b); }
inline Tensor over(const Tensor& a, const Tensor& b) { return at::div(a, b); }
// By a number on the device: by one on the host, a GPU multiplies by its reciprocal, which is rounded.
inline Tensor over(const Tensor& a, double b) { return at::div(a, at::full({}, b, a.options())); }

// Memory for an elementwise result. It lies as the stock kernels lay theirs, which the operands' strides decide.
inline Tensor room_for(const Tensor& x) { return at::neg(x); }
inline Tensor room_for(const Tensor& a, const Tensor& b) { return at::maximum(a, b); }
inline Tensor put_in(const Tensor& room, const Tensor& value) { return room.copy_(value); }

}  // namespace ordercheck::ranks::on_device
