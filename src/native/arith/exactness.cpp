#include "native/arith/exactness.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

namespace ordercheck::ranks {
namespace {

std::atomic<int> grid_in_use{kNotExact};
thread_local bool stock_arithmetic = false;

}  // namespace

std::string name_of(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat: return "float32";
    case at::kHalf: return "float16";
    case at::kBFloat16: return "bfloat16";
    case at::kComplexFloat: return "complex64";
    case at::kComplexDouble: return "complex128";
    default: return c10::toString(dtype);
  }
}

void set_exact_grid(int grid) { grid_in_use = grid; }

int exact_grid() { return stock_arithmetic ? kNotExact : grid_in_use.load(); }

StockArithmetic::StockArithmetic() : before_(std::exchange(stock_arithmetic, true)) {}

StockArithmetic::~StockArithmetic() { stock_arithmetic = before_; }

void refuse_exact(const char* op, const std::string& what) {
  throw Unsupported(fmt::format("{} {} has no exact kernel", op, what));
}

bool takes_exact_path(const char* op, const at::Tensor& operand) {
  if (!exactness_is_on()) return false;
  const at::ScalarType dtype = operand.scalar_type();
  if (dtype == at::kDouble) return true;
  if (at::isFloatingType(dtype) || at::isComplexType(dtype)) refuse_exact(op, "of " + name_of(dtype));
  return false;
}

bool takes_exact_path(const char* op, const at::Tensor& a, const at::Tensor& b) {
  const bool first = takes_exact_path(op, a);
  return takes_exact_path(op, b) && first;
}

bool takes_stable_path(const at::Tensor& operand) { return exactness_is_on() && operand.scalar_type() == at::kDouble; }

}  // namespace ordercheck::ranks
