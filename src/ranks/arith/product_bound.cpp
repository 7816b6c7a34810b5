#include "ranks/arith/product_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ops/transpose_native.h>

#include "ranks/arith/range.h"
#include "ranks/arith/snap.h"
#include "ranks/arith/wide_vectors.h"

namespace ordercheck::ranks {
namespace {

// NOTE [order of squares]: a norm's squares are added as those of even and of odd places, then both, then a last one
// that has no neighbour. Both ways below keep to it, so that the bound, which a record shows, does not depend on how an
// operand lies in memory.

// Of `kRows` rows of `length` that follow each other. Several at a time: a row's sums wait for each other.
template <int kRows>
void keep_largest_squares(const double* rows, int64_t length, double& largest) {
  double even[kRows] = {}, odd[kRows] = {};
  int64_t i = 0;
  for (; i + 1 < length; i += 2) {
    for (int r = 0; r < kRows; ++r) {
      even[r] += rows[r * length + i] * rows[r * length + i];
      odd[r] += rows[r * length + i + 1] * rows[r * length + i + 1];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    double squares = even[r] + odd[r];
    if (i < length) squares += rows[r * length + i] * rows[r * length + i];
    keep_largest(squares, largest);
  }
}

double largest_squares_of_rows(const double* data, int64_t rows, int64_t length) {
  constexpr int kAtATime = 4;
  double largest = 0;
  int64_t row = 0;
  for (; row + kAtATime <= rows; row += kAtATime) keep_largest_squares<kAtATime>(data + row * length, length, largest);
  for (; row < rows; ++row) keep_largest_squares<1>(data + row * length, length, largest);
  return largest;
}

// Of the columns of `count` matrices of `rows` by `columns` that follow each other.
ORDERCHECK_WIDE_VECTORS
double largest_squares_of_columns(const double* data, int64_t count, int64_t rows, int64_t columns) {
  double largest = 0;
  std::vector<double> sums(2 * columns);
  for (const double* matrix = data; matrix < data + count * rows * columns; matrix += rows * columns) {
    std::fill(sums.begin(), sums.end(), 0.0);
    double* const even = sums.data();
    double* const odd = even + columns;
    int64_t i = 0;
    for (; i + 1 < rows; i += 2) {
      const double* const row = matrix + i * columns;
      for (int64_t j = 0; j < columns; ++j) even[j] += row[j] * row[j];
      for (int64_t j = 0; j < columns; ++j) odd[j] += row[columns + j] * row[columns + j];
    }
    for (int64_t j = 0; j < columns; ++j) even[j] += odd[j];
    const double* const last = matrix + i * columns;
    for (int64_t j = 0; i < rows && j < columns; ++j) even[j] += last[j] * last[j];
    for (int64_t j = 0; j < columns; ++j) keep_largest(even[j], largest);
  }
  return largest;
}

// Largest row norm of a matrix, or of several; by Cauchy and Schwarz the product of two such bounds the sum of |a||b| of
// every element of a product. Read straight from memory, which is faster than any operator.
double largest_row_norm(const at::Tensor& rows) {
  const int64_t length = rows.size(-1), count = rows.size(-2);
  const at::Tensor columns = at::native::transpose(rows, -1, -2);
  if (rows.numel() == 0) return 0;
  if (!rows.is_contiguous() && columns.is_contiguous())
    return std::sqrt(
        largest_squares_of_columns(columns.const_data_ptr<double>(), rows.numel() / (length * count), length, count));
  const at::Tensor matrix = in_rows(rows);
  return std::sqrt(largest_squares_of_rows(matrix.const_data_ptr<double>(), matrix.numel() / length, length));
}

}  // namespace

void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what) {
  if (!is_measured()) return;
  note_sum(largest_row_norm(a) * largest_row_norm(at::native::transpose(b, -1, -2)), bits, what);
}

}  // namespace ordercheck::ranks
