// Turns exact arithmetic on or off for this process. While it is on, ATen's float64 CPU kernels round numbers to a grid before
// they add them. No sum then rounds, so its order cannot matter (see snap.h). Models, losses and optimizers stay stock code.
// The grids (numbers are rounded to multiples of these powers of two):
// - operands of contractions: 2^-grid
// - terms of sums: 2^-2grid, the product grid, on which products of such operands lie
// - the two terms of an addition: 2^-(2grid + 4)
// - small squares that a total gradient norm adds: 2^-kNormBits
//
// While it is off (plain float64, float32), every kernel is LibTorch's own.
//
// Thread rules: set it while no rank runs. Any thread may read it, or turn it off for a scope.
#pragma once

#include <stdexcept>
#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

inline constexpr int kNormBits = 40;

inline constexpr int kNotExact = 0;
void set_exact_grid(int grid);  // kNotExact: off
int exact_grid();               // kNotExact within StockArithmetic

// During its lifetime, this thread's operators run LibTorch's own kernels.
class StockArithmetic {
 public:
  StockArithmetic();
  ~StockArithmetic();
  StockArithmetic(const StockArithmetic&) = delete;

 private:
  bool before_;
};

inline bool exactness_is_on() { return exact_grid() != kNotExact; }
inline int product_bits() { return 2 * exact_grid(); }
// Sums use the product grid: a sum of contraction results then rounds none of them.
inline int sum_bits() { return product_bits(); }

// Thrown by an operator that would return a possibly inexact result. The run ends as `unsupported`.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws Unsupported: "aten::linalg_vector_norm of order 3 has no exact kernel".
[[noreturn]] void refuse_exact(const char* op, const std::string& what);

// Returns PyTorch's name: "float32".
std::string name_of(at::ScalarType dtype);

// For an exact kernel that sums: true if it must compute exactly. False if it must call the stock kernel, because exactness is
// off or no operand is floating-point. Throws Unsupported for floating-point or complex operands of another dtype than float64.
bool takes_exact_path(const char* op, const at::Tensor& operand);
bool takes_exact_path(const char* op, const at::Tensor& a, const at::Tensor& b);

// The same for an elementwise kernel, which sums nothing: false if exactness is off or the dtype is not float64.
bool takes_stable_path(const at::Tensor& operand);

}  // namespace ordercheck::ranks
