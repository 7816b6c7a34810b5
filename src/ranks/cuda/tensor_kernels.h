// What exact kernels are made of, on any device: the functions of snap.h, sum_terms.h, narrow_products.h, same_bits.h of ranks/arith,
// of base/bits.h and of steps.h, by the kernels of this room.
//
// Same values, bits, strides and errors as there. Each that may leave its range waits for the device. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include "base/bits.h"
#include "ranks/arith/sum_terms.h"

namespace ordercheck::ranks::on_device {

at::Tensor in_rows(const at::Tensor& x);
at::Tensor snapped(const at::Tensor& x, int bits);
at::Tensor root(const at::Tensor& x);
at::Tensor sum_of_terms(const at::Tensor& x, Term term, int bits, at::OptionalIntArrayRef dims, bool keepdim, const char* what);
void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what);

// Of tensors on one device.
bool same_bits(const at::Tensor& a, const at::Tensor& b);
// Of a contiguous tensor's bytes.
Hash128 hash_of_bytes(const at::Tensor& x);

}  // namespace ordercheck::ranks::on_device
