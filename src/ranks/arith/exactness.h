// Exact arithmetic as a setting of this process. While it is on, ATen's float64 CPU kernels that add numbers up round them
// to a grid first, so that no sum rounds and its order cannot matter (snap.h says why): operands of contractions to
// 2^-grid, terms of sums to the grid of products 2^-2grid, the two terms of an addition to 2^-(2grid + 4), the squares of a
// total norm, which are small, to 2^-kNormBits. Models, losses and optimizers are stock code and know nothing of it.
//
// Off (plain float64, float32) every kernel is LibTorch's own.
//
// Thread rules: set while no rank runs; read from any thread, of which each may leave it for a scope.
#pragma once

#include <stdexcept>
#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

inline constexpr int kNormBits = 40;

inline constexpr int kNotExact = 0;
void set_exact_grid(int grid);  // kNotExact: off
int exact_grid();               // kNotExact within StockArithmetic

// For its lifetime exactness is off for this thread.
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
// Terms of sums, so that what comes out of a contraction passes unchanged.
inline int sum_bits() { return product_bits(); }

// Thrown in place of a result that might not be exact. The case ends as unsupported.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws Unsupported: "aten::linalg_vector_norm of order 3 has no exact kernel".
[[noreturn]] void refuse_exact(const char* op, const std::string& what);

// As PyTorch calls it: "float32".
std::string name_of(at::ScalarType dtype);

// For a kernel that sums: false where the stock kernel is to be called, because exactness is off or the operands are no
// floating-point numbers. Throws Unsupported for those of another dtype than float64.
bool takes_exact_path(const char* op, const at::Tensor& operand);
bool takes_exact_path(const char* op, const at::Tensor& a, const at::Tensor& b);

// For an elementwise kernel: one of another dtype is no sum, and its stock kernel is called.
bool takes_stable_path(const at::Tensor& operand);

}  // namespace ordercheck::ranks
