// Exact sums: the functors of sum_terms (ranks/arith/sum_terms.h says what they add). Terms lie on a grid, so that no partial sum
// rounds and the cut into threads cannot matter, as long as the sum of magnitudes, which is found beside, is in range.
#pragma once

#include <cmath>
#include <cstdint>

#include "ranks/cuda/rounding.h"

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

// Of all sums: what the range guard asks for. A term that is no number shows in the sum of magnitudes.
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

// A contiguous tensor as the sum sees it: blocks of `length` rows of `inner` numbers; rows of a block are added.
struct Summation {
  using Part = SumPart;
  using Fold = SumExtent;
  const double* in;
  double* out;  // a sum for each of blocks times inner
  std::int64_t length, inner;
  double c;
  SummedTerm term;

  ORDERCHECK_HOST_DEVICE double term_of(double x) const {
    return term == SummedTerm::magnitude ? fabs(x) : term == SummedTerm::square ? x * x : x;
  }

  // What the `lane`th of `lanes` threads adds of one sum.
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

  // A thread for each sum: where neighbours in memory are of different sums.
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t sum, SumExtent& extent) const { finish(sum, part(sum, 0, 1), extent); }
};

// The sum of squares of row i of `length` numbers, `step` apart, of which the largest is kept. As NOTE [order of squares] of
// ranks/arith/narrow_products.cpp has it: squares of even and of odd places, then both, then a last one without a neighbour.
struct RowSquares {
  const double* in;
  std::int64_t rows, row, length, step;  // of a matrix: how many rows, and from one to the next
  std::int64_t matrix;                   // from one matrix to the next
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
