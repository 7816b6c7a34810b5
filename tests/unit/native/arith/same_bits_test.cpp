#include "native/arith/same_bits.h"

#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(SameBits, LooksAtBitsAndNotAtValues) {
  const at::Tensor zero = at::zeros({2}, at::kDouble);
  EXPECT_TRUE(same_bits(zero, zero.clone()));
  EXPECT_FALSE(same_bits(zero, -zero));
  const at::Tensor no_number = at::full({2}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
  EXPECT_TRUE(same_bits(no_number, no_number.clone()));
}

TEST(SameBits, LooksAtSizesAndDtypeButNotAtStrides) {
  const at::Tensor matrix = at::arange(6, at::kDouble).reshape({2, 3});
  EXPECT_TRUE(same_bits(matrix, matrix.t().contiguous().t()));
  EXPECT_FALSE(same_bits(matrix, matrix.reshape({3, 2})));
  EXPECT_FALSE(same_bits(at::zeros({2}, at::kDouble), at::zeros({2}, at::kLong)));
}

TEST(SameBits, HoldsOfTensorsWithoutMemory) {
  EXPECT_TRUE(same_bits(at::empty({0, 3}, at::kDouble), at::empty({0, 3}, at::kDouble)));
  EXPECT_FALSE(same_bits(at::empty({0, 3}, at::kDouble), at::empty({3, 0}, at::kDouble)));
}

}  // namespace
}  // namespace ordercheck::ranks
