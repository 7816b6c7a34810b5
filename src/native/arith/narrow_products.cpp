#include "native/arith/narrow_products.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/transpose_native.h>

#include "native/arith/range.h"
#include "native/arith/snap.h"
#include "native/arith/wide_vectors.h"

namespace ordercheck::ranks {
namespace {

// Largest narrow dimension that is handled here; the stock kernel is faster for wider matrices.
constexpr int64_t kNarrow = 8;

// One matrix of a batch, with any strides.
struct Matrix {
  const double* data;
  int64_t rows, columns, row, column;  // the last two are strides
  Matrix transposed() const { return {data, columns, rows, column, row}; }
};

Matrix matrix_of(const at::Tensor& x, int64_t i) {
  return {x.const_data_ptr<double>() + i * x.stride(0), x.size(1), x.size(2), x.stride(1), x.stride(2)};
}

// Copies `x` into contiguous rows in `room`.
Matrix packed(const Matrix& x, std::vector<double>& room) {
  room.resize(x.rows * x.columns);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < x.columns; ++j) room[i * x.columns + j] = x.data[i * x.row + j * x.column];
  }
  return {room.data(), x.rows, x.columns, x.columns, 1};
}

template <int kTerms>
[[gnu::always_inline]] inline void add_terms(const double* factors, int64_t stride, const double* rows, int64_t row,
                                             int64_t columns, double* out) {
#pragma omp simd
  for (int64_t j = 0; j < columns; ++j) {
    double sum = out[j];
    for (int k = 0; k < kTerms; ++k) sum += factors[k * stride] * rows[k * row + j];
    out[j] = sum;
  }
}

// Computes a * b, one row of the result at a time; rows of `b` must be contiguous. Here and below, sums start at zero as in the
// stock kernel: a sum of negative zeros is then positive.
ORDERCHECK_WIDE_VECTORS
void multiply_by_rows(const Matrix& a, const Matrix& b, double* out) {
  for (int64_t i = 0; i < a.rows; ++i, out += b.columns) {
    std::fill(out, out + b.columns, 0.0);
    const double* const factors = a.data + i * a.row;
    int64_t k = 0;
    for (; k + 4 <= b.rows; k += 4) add_terms<4>(factors + k * a.column, a.column, b.data + k * b.row, b.row, b.columns, out);
    for (; k + 2 <= b.rows; k += 2) add_terms<2>(factors + k * a.column, a.column, b.data + k * b.row, b.row, b.columns, out);
    for (; k < b.rows; ++k) add_terms<1>(factors + k * a.column, a.column, b.data + k * b.row, b.row, b.columns, out);
  }
}

// Computes a * b, each element as a dot product; rows of `a` and columns of `b` must be contiguous.
ORDERCHECK_WIDE_VECTORS
void multiply_by_dots(const Matrix& a, const Matrix& b, double* out) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      const double *const x = a.data + i * a.row, *const y = b.data + j * b.column;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t k = 0; k < a.columns; ++k) sum += x[k] * y[k];
      *out++ = sum;
    }
  }
}

// Computes a * b as the transpose of b^T * a^T; columns of `a` must be contiguous.
void multiply_by_columns(const Matrix& a, const Matrix& b, std::vector<double>& room, double* out) {
  room.resize(a.rows * b.columns);
  multiply_by_rows(b.transposed(), a.transposed(), room.data());
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) *out++ = room[j * a.rows + i];
  }
}

bool is_product(const at::Tensor& a, const at::Tensor& b) {
  return a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0) && a.size(2) == b.size(1);
}

}  // namespace

at::Tensor product_on_grid(const at::Tensor& a, const at::Tensor& b) {
  // With one term per element nothing is summed. Use the stock kernel: whether it keeps a negative zero then depends on the
  // sizes.
  if (!is_product(a, b) || a.size(2) < 2) return at::cpu::bmm(a, b);
  const bool few_terms = a.size(2) <= kNarrow, few_columns = b.size(2) <= kNarrow;
  const bool in_rows = a.stride(2) == 1, in_columns = a.stride(1) == 1;
  if (!few_terms && !(few_columns && (in_rows || in_columns))) return at::cpu::bmm(a, b);
  at::Tensor out = at::detail::empty_cpu({a.size(0), a.size(1), b.size(2)}, a.options());
  double* to = out.mutable_data_ptr<double>();
  std::vector<double> room;
  for (int64_t i = 0; i < a.size(0); ++i, to += a.size(1) * b.size(2)) {
    const Matrix x = matrix_of(a, i), y = matrix_of(b, i);
    if (few_terms) {
      multiply_by_rows(x, packed(y, room), to);
    } else if (in_rows) {
      multiply_by_dots(x, packed(y.transposed(), room).transposed(), to);
    } else {
      multiply_by_columns(x, y, room, to);
    }
  }
  return out;
}

namespace {

// NOTE [order of squares]: the sum of squares of a row or column adds the squares at even indices, those at odd indices, both
// totals, then an unpaired last one. Both functions below keep this order, so that the recorded bound does not depend on the
// operand's strides.

// Keeps the largest sum of squares of `kRows` consecutive rows in `largest`. The rows are added side by side, because the
// additions of one row depend on each other.
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

// The same over the columns of `count` consecutive matrices of `rows` by `columns`.
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

// Returns the largest row norm of a matrix or a batch. Reading memory directly is faster than any operator.
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
