#include "ranks/arith/guard.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "ranks/arith/range.h"

namespace ordercheck::ranks {
namespace {

// What is not a number is larger than any, and stays so whatever comes after it.
void keep_largest(double value, double& largest) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

// NOTE [order of squares]: a norm's squares are added as those of even and of odd places, then both, then a last one
// that has no neighbour. Both ways below keep to it, so that the bound, which a record shows, does not depend on how an
// operand lies in memory.

// Of `rows` rows of `length` that follow each other.
double largest_squares_of_rows(const double* data, int64_t rows, int64_t length) {
  double largest = 0;
  for (const double* row = data; row < data + rows * length; row += length) {
    double even = 0, odd = 0;
    int64_t i = 0;
    for (; i + 1 < length; i += 2) {
      even += row[i] * row[i];
      odd += row[i + 1] * row[i + 1];
    }
    double squares = even + odd;
    if (i < length) squares += row[i] * row[i];
    keep_largest(squares, largest);
  }
  return largest;
}

// Of the columns of `count` matrices of `rows` by `columns` that follow each other.
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
// every element of a product. Read straight from memory: the guard is not part of the computation, and no dispatch mode
// shall see it.
double largest_row_norm(const at::Tensor& rows) {
  const int64_t length = rows.size(-1), count = rows.size(-2);
  const at::Tensor columns = rows.transpose(-1, -2);
  if (rows.numel() == 0) return 0;
  if (!rows.is_contiguous() && columns.is_contiguous())
    return std::sqrt(
        largest_squares_of_columns(columns.const_data_ptr<double>(), rows.numel() / (length * count), length, count));
  const at::Tensor matrix = rows.contiguous();
  return std::sqrt(largest_squares_of_rows(matrix.const_data_ptr<double>(), matrix.numel() / length, length));
}

double largest_sum_of_magnitudes(const at::Tensor& terms, Along along) {
  const double* data = terms.const_data_ptr<double>();
  const int64_t length = terms.dim() ? std::max<int64_t>(terms.size(-1), 1) : 1;
  const int64_t rows = terms.numel() / length;
  double largest = 0;
  if (along == Along::row) {
    for (const double* row = data; row < data + rows * length; row += length) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < length; ++i) sum += std::fabs(row[i]);
      keep_largest(sum, largest);
    }
    return largest;
  }
  std::vector<double> sums(length, 0.0);
  for (const double* row = data; row < data + rows * length; row += length) {
    for (int64_t i = 0; i < length; ++i) sums[i] += std::fabs(row[i]);
  }
  for (const double sum : sums) keep_largest(sum, largest);
  return largest;
}

// A kernel's `str` comes by value.
// NOLINTBEGIN(performance-unnecessary-value-param)
void note_product(const at::Tensor& a, const at::Tensor& b, int64_t bits, std::string what) {
  note_sum(largest_row_norm(a) * largest_row_norm(b.transpose(-1, -2)), static_cast<int>(bits), what.c_str());
}

void note_terms(const at::Tensor& terms, bool along_rows, int64_t bits, std::string what) {
  note_sum(largest_sum_of_magnitudes(terms, along_rows ? Along::row : Along::column), static_cast<int>(bits), what.c_str());
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace

TORCH_LIBRARY_FRAGMENT(ordercheck, library) {
  library.def("guard_product(Tensor a, Tensor b, int bits, str what) -> ()");
  library.def("guard_sum(Tensor terms, bool along_rows, int bits, str what) -> ()");
}
TORCH_LIBRARY_IMPL(ordercheck, CPU, library) {
  library.impl("guard_product", note_product);
  library.impl("guard_sum", note_terms);
}
TORCH_LIBRARY_IMPL(ordercheck, Autograd, library) {
  library.impl("guard_product", torch::CppFunction::makeFallthrough());
  library.impl("guard_sum", torch::CppFunction::makeFallthrough());
}

void guard_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("ordercheck::guard_product", "")
                             .typed<void(const at::Tensor&, const at::Tensor&, int64_t, std::string)>();
  op.call(a, b, bits, what);
}

void guard_sum(const at::Tensor& terms, Along along, int bits, const char* what) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("ordercheck::guard_sum", "")
                             .typed<void(const at::Tensor&, bool, int64_t, std::string)>();
  op.call(terms, along == Along::row, bits, what);
}

}  // namespace ordercheck::ranks
