// Exact sums: terms are rounded to a grid as they are added, so that no order of adding them matters, and the largest sum of
// their magnitudes is noted with the range guard (range.h).
//
// Float64 in and out; sizes as at::sum's. Throws OutOfRange. Free of state; any thread.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// What is added of an element.
enum class Term { itself, magnitude, square };

// Over `dims`; over all of them where `dims` is empty or absent. Elements of a sum are multiples of 2^-bits.
at::Tensor sum_terms(const at::Tensor& x, Term term, int bits, at::OptionalIntArrayRef dims, bool keepdim, const char* what);

// How many elements a sum over `dims` adds.
int64_t terms_of(const at::Tensor& x, at::OptionalIntArrayRef dims);

}  // namespace ordercheck::ranks
