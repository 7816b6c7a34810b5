#include "native/arith/cuda/float64_products.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace ordercheck::ranks {
namespace {

// Matrix size of the test products: large enough for cuBLAS to emulate them.
constexpr int64_t kSize = 512;

// Returns a matrix that exposes emulation: row 0 starts with 2^60, followed by 53-bit numbers near 1. all_but_the_first() drops
// the 2^60, so the true product is exact in any order. Fixed-point numbers scaled to the row's maximum would need 113 bits.
at::Tensor wide_row() {
  at::Tensor a = at::zeros({kSize, kSize}, at::kDouble);
  a.select(1, 0).fill_(0x1p60);
  a.diagonal().copy_(at::add(at::mul(at::arange(kSize, at::kDouble), 0x1p-52), 1));
  a.index_put_({at::tensor(0), at::tensor(0)}, 0x1p60);
  return a;
}

// Returns the identity matrix with its first diagonal element set to 0: a product with it drops column 0.
at::Tensor all_but_the_first() {
  at::Tensor b = at::eye(kSize, at::kDouble);
  b.index_put_({at::tensor(0), at::tensor(0)}, 0.0);
  return b;
}

at::Tensor product_with(const Multiply& multiply, const at::Tensor& a, const at::Tensor& b, const at::TensorOptions& options) {
  return multiply(a.to(options), b.to(options)).cpu();
}

std::string difference(const at::Tensor& got, const at::Tensor& owed, const char* what) {
  const at::Tensor same = at::logical_or(at::eq(got, owed), at::logical_and(at::isnan(got), at::isnan(owed)));
  const at::Tensor wrong = at::nonzero(at::logical_not(same));
  if (wrong.numel() == 0) return "";
  const int64_t row = wrong[0][0].item<int64_t>(), column = wrong[0][1].item<int64_t>();
  return fmt::format("{} at row {}, column {}: expected {:a}, got {:a}", what, row, column, owed[row][column].item<double>(),
                     got[row][column].item<double>());
}

std::string fault_of_wide_rows(const Multiply& multiply, const at::TensorOptions& options) {
  const at::Tensor a = wide_row();
  at::Tensor owed = a.clone();
  owed.select(1, 0).zero_();
  return difference(product_with(multiply, a, all_but_the_first(), options), owed, "a row that needs more than 55 bits");
}

// Tests a product with a NaN, an infinity times 0, and an infinity, each in its own row: they must not affect other rows.
// Returns the deviation, or "".
std::string fault_of_no_numbers(const Multiply& multiply, const at::TensorOptions& options) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
  at::Tensor a = at::ones({kSize, kSize}, at::kDouble), b = at::ones({kSize, kSize}, at::kDouble);
  a.select(0, 1).select(0, 7).fill_(kNaN);
  a.select(0, 2).select(0, 9).fill_(kInfinity);
  b.select(0, 9).select(0, 3).fill_(0.0);
  at::Tensor owed = at::full({kSize, kSize}, static_cast<double>(kSize), at::kDouble);
  owed.select(1, 3).fill_(static_cast<double>(kSize - 1));
  owed.select(0, 1).fill_(kNaN);
  owed.select(0, 2).fill_(kInfinity);
  owed.select(0, 2).select(0, 3).fill_(kNaN);
  return difference(product_with(multiply, a, b, options), owed, "a row with what is no number");
}

}  // namespace

std::string settle_emulation() {
  for (const char* name : {"CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATE_SINGLE_PRECISION"}) {
    const char* set = std::getenv(name);
    if (set != nullptr && std::strcmp(set, "0") != 0 && *set != '\0')
      return fmt::format("{}={}: expected 0 or nothing, since an emulated product is not one of that precision", name, set);
    setenv(name, "0", 1);
  }
  if (const char* strategy = std::getenv("CUBLAS_EMULATION_STRATEGY"); strategy != nullptr && *strategy != '\0')
    return fmt::format("CUBLAS_EMULATION_STRATEGY={}: expected nothing, since products are not to be emulated", strategy);
  return "";
}

std::string fault_of_products(const Multiply& multiply, const at::TensorOptions& options) {
  for (const auto& fault_of : {fault_of_wide_rows, fault_of_no_numbers})
    if (const std::string fault = fault_of(multiply, options); !fault.empty())
      return fmt::format("float64 products on {} are not IEEE 754's: {}", options.device().str(), fault);
  return "";
}

}  // namespace ordercheck::ranks
