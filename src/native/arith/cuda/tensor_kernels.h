// Provides the building blocks of exact kernels on any device, with the kernels of this folder: the functions of snap.h,
// sum_terms.h, narrow_products.h, same_bits.h and steps.h in native/arith, and of base/bits.h.
//
// Values, bits, strides and errors are the same as there. Functions that may leave the range wait for the device. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include "base/bits.h"
#include "native/arith/sum_terms.h"

namespace ordercheck::ranks::on_device {

at::Tensor in_rows(const at::Tensor& x);
at::Tensor snapped(const at::Tensor& x, int bits);
at::Tensor root(const at::Tensor& x);
at::Tensor sum_of_terms(const at::Tensor& x, Term term, int bits, at::OptionalIntArrayRef dims, bool keepdim, const char* what);
void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what);

// Both tensors must be on one device.
bool same_bits(const at::Tensor& a, const at::Tensor& b);
// `x` must be contiguous.
Hash128 hash_of_bytes(const at::Tensor& x);

}  // namespace ordercheck::ranks::on_device
