#include "ranks/arith/guard.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/arith/range.h"
#include "ranks/graph/dispatch_mode.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;

// What a guard noted: a bound on sums of |terms|, of which 2^(53 - bits) is allowed.
double noted(auto&& guard, int bits) {
  reset_range(1);
  guard(bits);
  return range_used() * std::ldexp(1.0, 53 - bits);
}

const at::Tensor kTerms = at::tensor({1.0, -2.0, 3.0, 4.0, 5.0, -6.0}, at::kDouble).reshape({2, 3});

TEST(Guard, ASumIsBoundedAlongRowsOrColumns) {
  EXPECT_EQ(noted([](int bits) { guard_sum(kTerms, Along::row, bits, "a sum"); }, 36), 15);
  EXPECT_EQ(noted([](int bits) { guard_sum(kTerms, Along::column, bits, "a sum"); }, 36), 9);
}

// |a||b| summed is at most the product of the norms of a's row and b's column.
TEST(Guard, AProductIsBoundedByTheNorms) {
  const at::Tensor a = at::tensor({3.0, 4.0, 0.0, 1.0}, at::kDouble).reshape({2, 2});
  const at::Tensor b = at::tensor({0.0, 6.0, 1.0, 8.0}, at::kDouble).reshape({2, 2});
  EXPECT_DOUBLE_EQ(noted([&](int bits) { guard_product(a, b, bits, "a product"); }, 40), 50);
  EXPECT_DOUBLE_EQ(noted([&](int bits) { guard_product(a.unsqueeze(0), b.unsqueeze(0), bits, "a product"); }, 40), 50);
  EXPECT_DOUBLE_EQ(noted([&](int bits) { guard_product(a.t().contiguous().t(), b, bits, "a product"); }, 40), 50)
      << "however it lies";
}

TEST(Guard, WhatLeavesTheRangeIsNamed) {
  reset_range(1);
  try {
    guard_sum(kTerms * 1e9, Along::row, 36, "the total of a test");
    FAIL() << "nothing was thrown";
  } catch (const OutOfRange& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("exact arithmetic left its range in the total of a test"));
  }
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    at::Tensor terms = kTerms.clone();
    terms[0][1] = odd;
    EXPECT_THROW(guard_sum(terms, Along::row, 36, "a sum"), OutOfRange) << odd;
    EXPECT_THROW(guard_sum(terms, Along::column, 36, "a sum"), OutOfRange) << odd;
    EXPECT_THROW(guard_product(terms, kTerms.t(), 40, "a product"), OutOfRange) << odd;
    EXPECT_THROW(guard_product(terms.t(), kTerms, 40, "a product"), OutOfRange) << odd;
  }
  reset_range(1);
}

class Watcher final : public DispatchMode {
 public:
  explicit Watcher(std::vector<std::string>& names) : names_(names) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    names_.push_back(op.operator_name().name);
    op.callBoxed(&stack);
  }

 private:
  std::vector<std::string>& names_;
};

// So that a capture has guards, and its arithmetic nothing of what they compute.
TEST(Guard, IsOneOperatorToDispatchModes) {
  reset_range(1);
  const at::Tensor a = kTerms.t();
  std::vector<std::string> seen;
  {
    const DispatchModeScope watching(new Watcher(seen));
    guard_sum(kTerms, Along::row, 36, "a sum");
    guard_product(kTerms, a, 40, "a product");
  }
  EXPECT_THAT(seen, ElementsAre("ordercheck::guard_sum", "ordercheck::guard_product"));
}

TEST(Guard, IsNoPartOfAutograd) {
  reset_range(1);
  const at::Tensor x = kTerms.clone().set_requires_grad(true);
  EXPECT_NO_THROW(guard_sum(x, Along::row, 36, "a sum"));
  EXPECT_NO_THROW(guard_product(x, x.t(), 40, "a product"));
}

}  // namespace
}  // namespace ordercheck::ranks
