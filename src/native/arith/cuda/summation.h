// Adds terms exactly, as functors for sum_terms (native/arith/sum_terms.h). Terms lie on a grid: while their sum of magnitudes
// is in range, no partial sum rounds and the split into threads cannot matter.
#pragma once

#include <cmath>
#include <cstdint>

#include "native/arith/cuda/rounding.h"

namespace ordercheck::ranks {

struct SumPart {
  double sum, magnitudes, largest_term;
  ORDERCHECK_HOST_DEVICE static SumPart none() { return {0.0, 0.0, 0.0}; }
  ORDERCHECK_HOST_DEVICE void take(const SumPart& other) {
    sum += other.sum;
    magnitudes += other.magnitudes;
    largest_term = other.largest_term > largest_term ? other.largest_term : largest_term;
  }
};

// The largest term and the largest sum of magnitudes over all sums, for note_sum() (native/arith/range.h). A NaN term appears
// in the sum of magnitudes.
struct SumExtent {
  double largest_term;
  Largest largest_sum;
  ORDERCHECK_HOST_DEVICE static SumExtent none() { return {0.0, Largest::none()}; }
  ORDERCHECK_HOST_DEVICE void take(const SumExtent& other) {
    largest_term = other.largest_term > largest_term ? other.largest_term : largest_term;
    largest_sum.take(other.largest_sum);
  }
  ORDERCHECK_HOST_DEVICE void take(const SumPart& part) { take(SumExtent{part.largest_term, {part.magnitudes}}); }
};

enum class SummedTerm { itself, magnitude, square };

// Sums a contiguous tensor over one dim: it is blocks of `length` rows of `inner` numbers, and the rows of a block are added.
// `c` is snap_constant() of the grid (native/arith/snap.h).
struct Summation {
  using Part = SumPart;
  using Fold = SumExtent;
  const double* in;
  double* out;  // one sum per block and inner index
  std::int64_t length, inner;
  double c;
  SummedTerm term;

  ORDERCHECK_HOST_DEVICE double term_of(double x) const {
    return term == SummedTerm::magnitude ? fabs(x) : term == SummedTerm::square ? x * x : x;
  }

  // Adds the terms of one sum that belong to thread `lane` of `lanes`.
  ORDERCHECK_HOST_DEVICE SumPart part(std::int64_t sum, int lane, int lanes) const {
    SumPart part = SumPart::none();
    const double* const first = in + sum / inner * length * inner + sum % inner;
    for (std::int64_t k = lane; k < length; k += lanes) {
      const double value = term_of(first[k * inner]), on_grid = (value + c) - c, magnitude = fabs(value);
      part.sum += on_grid;
      part.magnitudes += fabs(on_grid);
      part.largest_term = magnitude > part.largest_term ? magnitude : part.largest_term;
    }
    return part;
  }
  ORDERCHECK_HOST_DEVICE void finish(std::int64_t sum, const SumPart& whole, SumExtent& extent) const {
    out[sum] = whole.sum;
    extent.take(whole);
  }

  // Uses a thread per sum: adjacent elements belong to different sums.
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t sum, SumExtent& extent) const { finish(sum, part(sum, 0, 1), extent); }
};

// Adds the squares of row i, `length` numbers `step` apart, and keeps the largest sum. It adds in the order of NOTE [order of
// squares] in native/arith/narrow_products.cpp.
struct RowSquares {
  const double* in;
  std::int64_t rows, row, length, step;  // per matrix: number of rows, and stride from row to row
  std::int64_t matrix;                   // stride between matrices
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t i, Largest& largest) const {
    const double* const first = in + i / rows * matrix + i % rows * row;
    double even = 0, odd = 0;
    std::int64_t k = 0;
    for (; k + 1 < length; k += 2) {
      even += first[k * step] * first[k * step];
      odd += first[(k + 1) * step] * first[(k + 1) * step];
    }
    double squares = even + odd;
    if (k < length) squares += first[k * step] * first[k * step];
    largest.keep(squares);
  }
};

}  // namespace ordercheck::ranks
