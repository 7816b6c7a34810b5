// Computes exact float64 sums: each term is rounded to a grid before it is added, so that the order of terms does not matter.
// Passes the largest sum of |terms| to note_sum() (range.h).
//
// The result has the sizes of at::sum. Throws OutOfRange. Stateless; any thread.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// What is summed for each element x: x, |x| or x * x.
enum class Term { itself, magnitude, square };

// Sums over `dims`, or over all dims if `dims` is empty or nullopt. Terms are rounded to multiples of 2^-bits.
at::Tensor sum_terms(const at::Tensor& x, Term term, int bits, at::OptionalIntArrayRef dims, bool keepdim, const char* what);

// Returns the number of elements that each sum over `dims` adds.
int64_t terms_of(const at::Tensor& x, at::OptionalIntArrayRef dims);

}  // namespace ordercheck::ranks
