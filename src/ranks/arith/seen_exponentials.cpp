// NOTE [what is hidden]: the exponential of minus infinity is zero, which takes the stock kernel far longer to find than that of
// a number. It gets what a mask leaves, side by side; an element has the same bits wherever it lies (steps.h).
#include "ranks/arith/seen_exponentials.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/slice_native.h>
#include <ATen/ops/view_native.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/sum_terms.h"
#include "ranks/arith/wide_vectors.h"

namespace ordercheck::ranks {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// What is seen of a row: what lies behind `end` is hidden, as by a causal mask, of the rest `hidden`.
struct Row {
  int64_t end, hidden;
};

int64_t end_of(const double* row, int64_t length) {
  while (length > 0 && row[length - 1] == kHidden) --length;
  return length;
}

// The largest of each row, not a number where one is none.
ORDERCHECK_WIDE_VECTORS
void look_at(const double* row, int64_t rows, int64_t length, Row* seen, double* largest) {
  for (int64_t r = 0; r < rows; ++r, row += length) {
    double top = kHidden;
    int64_t hidden = 0, none = 0;
#pragma omp simd reduction(max : top) reduction(+ : hidden, none)
    for (int64_t i = 0; i < length; ++i) {
      top = row[i] > top ? row[i] : top;
      hidden += row[i] == kHidden;
      none += row[i] != row[i];
    }
    const int64_t end = hidden == 0 ? length : end_of(row, length);
    seen[r] = {end, hidden - (length - end)};
    largest[r] = none > 0 ? std::numeric_limits<double>::quiet_NaN() : top;
  }
}

// What is seen, minus the largest of its row, side by side. Returns how many they are.
ORDERCHECK_WIDE_VECTORS
int64_t gather(const double* row, int64_t rows, int64_t length, const Row* seen, const double* largest, double* to) {
  double* const first = to;
  for (int64_t r = 0; r < rows; ++r, row += length) {
    const double shift = std::isinf(largest[r]) ? 0 : largest[r];
    const int64_t end = seen[r].end;
    if (seen[r].hidden == 0) {
#pragma omp simd
      for (int64_t i = 0; i < end; ++i) to[i] = row[i] - shift;
      to += end;
    } else {
      for (int64_t i = 0; i < end; ++i) {
        *to = row[i] - shift;  // written over where it is hidden
        to += row[i] != kHidden;
      }
    }
  }
  return to - first;
}

// Back to their places, zero where it is hidden.
void spread(const double* row, int64_t rows, int64_t length, const Row* seen, const double* from, double* to) {
  for (int64_t r = 0; r < rows; ++r, row += length, to += length) {
    const int64_t end = seen[r].end;
    if (seen[r].hidden == 0) {
      std::copy_n(from, end, to);
      from += end;
    } else {
      for (int64_t i = 0; i < end; ++i) {
        const bool is_seen = row[i] != kHidden;
        to[i] = is_seen ? *from : 0.0;
        from += is_seen;
      }
    }
    std::fill(to + end, to + length, 0.0);
  }
}

}  // namespace

SeenExponentials seen_exponentials(const at::Tensor& scores, const char* what) {
  const int64_t rows = scores.size(0) * scores.size(1), length = scores.size(2);
  if (length == 0) at::cpu::amax(scores, {-1});  // which refuses it
  SeenExponentials made;
  made.largest = at::detail::empty_cpu({scores.size(0), scores.size(1), 1}, scores.options());
  at::Tensor together = at::detail::empty_cpu({scores.numel() + 1}, scores.options());  // one more may be written over
  const double* from = scores.const_data_ptr<double>();
  double *const largest = made.largest.mutable_data_ptr<double>(), *const to = together.mutable_data_ptr<double>();
  std::vector<Row> seen(rows);
  look_at(from, rows, length, seen.data(), largest);
  at::Tensor exponents = at::native::slice(together, 0, 0, gather(from, rows, length, seen.data(), largest, to));
  at::cpu::exp_(exponents);
  if (exponents.numel() == scores.numel()) {
    made.values = at::native::view(exponents, scores.sizes());
  } else {
    made.values = at::detail::empty_cpu(scores.sizes(), scores.options());
    spread(from, rows, length, seen.data(), to, made.values.mutable_data_ptr<double>());
  }
  made.sum = sum_terms(made.values, Term::itself, sum_bits(), at::IntArrayRef(-1), /*keepdim=*/true, what);
  return made;
}

}  // namespace ordercheck::ranks
