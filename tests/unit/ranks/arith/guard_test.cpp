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

double bound_of_product(const at::Tensor& a, const at::Tensor& b) {
  reset_range(1);
  guard_product(a, b, 0, "a product");
  return range_used();
}

// The same numbers, stored column by column.
at::Tensor transposed_in_memory(const at::Tensor& x) { return x.transpose(-1, -2).contiguous().transpose(-1, -2); }

TEST(GuardProduct, NotesTheSameBitsHoweverAnOperandLiesInMemory) {
  at::manual_seed(1);
  for (const int64_t inner : {1, 2, 3, 8, 25, 120}) {
    for (const bool batched : {false, true}) {
      const at::Tensor a = batched ? at::randn({5, 7, inner}, at::kDouble) : at::randn({7, inner}, at::kDouble);
      const at::Tensor b = batched ? at::randn({5, inner, 4}, at::kDouble) : at::randn({inner, 4}, at::kDouble);
      const double owed = bound_of_product(a, b);
      EXPECT_GT(owed, 0);
      EXPECT_EQ(bound_of_product(transposed_in_memory(a), b), owed) << inner;
      EXPECT_EQ(bound_of_product(a, transposed_in_memory(b)), owed) << inner;
      EXPECT_EQ(bound_of_product(transposed_in_memory(a), transposed_in_memory(b)), owed) << inner;
      // Neither way: every second row of a larger matrix.
      const at::Tensor sparse = at::zeros_like(a).repeat_interleave(2, -2).slice(-2, 0, {}, 2).copy_(a);
      EXPECT_EQ(bound_of_product(sparse, b), owed) << inner;
    }
  }
}

TEST(GuardProduct, IsTheProductOfTheLargestNorms) {
  const at::Tensor a = at::tensor({3.0, 4.0, 0.0, 1.0}, at::kDouble).view({2, 2});   // rows of norm 5 and 1
  const at::Tensor b = at::tensor({5.0, 1.0, 12.0, 1.0}, at::kDouble).view({2, 2});  // columns of norm 13 and sqrt 2
  EXPECT_EQ(bound_of_product(a, b), 65.0 / std::ldexp(1.0, 53));
}

TEST(GuardProduct, SeesANumberThatIsNone) {
  reset_range(1);
  for (const bool in_last_row : {false, true}) {
    at::Tensor b = at::ones({3, 4}, at::kDouble);
    b[in_last_row ? 2 : 0][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(guard_product(at::ones({2, 3}, at::kDouble), b, 0, "a product"), OutOfRange);
    EXPECT_THROW(guard_product(b.t(), at::ones({3, 2}, at::kDouble), 0, "a product"), OutOfRange);
  }
}

TEST(GuardSum, SeesANumberThatIsNone) {
  reset_range(1);
  for (const int place : {0, 3}) {
    at::Tensor terms = at::ones({2, 2}, at::kDouble);
    terms.view({4})[place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(guard_sum(terms, Along::row, 0, "a sum"), OutOfRange);
    EXPECT_THROW(guard_sum(terms, Along::column, 0, "a sum"), OutOfRange);
  }
}

TEST(GuardProduct, OfNothingIsNothing) {
  EXPECT_EQ(bound_of_product(at::empty({0, 3}, at::kDouble), at::empty({3, 0}, at::kDouble)), 0);
  EXPECT_EQ(bound_of_product(at::empty({2, 0}, at::kDouble), at::empty({0, 2}, at::kDouble)), 0);
}

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
