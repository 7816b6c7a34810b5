#include "ranks/arith/product_bound.h"

#include <cmath>
#include <limits>

#include "unit/ranks/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

double bound_of_product(const at::Tensor& a, const at::Tensor& b) {
  reset_range(1);
  note_product(a, b, 0, "a product");
  return range_used() * std::ldexp(1.0, 53);
}

// The same numbers, stored column by column.
at::Tensor transposed_in_memory(const at::Tensor& x) { return x.transpose(-1, -2).contiguous().transpose(-1, -2); }

TEST(ProductBound, IsTheSameBitsHoweverAnOperandLiesInMemory) {
  for (const int64_t inner : {1, 2, 3, 8, 25, 120}) {
    for (const bool batched : {false, true}) {
      const at::Tensor a = batched ? noise({5, 7, inner}, 1) : noise({7, inner}, 1);
      const at::Tensor b = batched ? noise({5, inner, 4}, 2) : noise({inner, 4}, 2);
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

TEST(ProductBound, IsTheProductOfTheLargestNorms) {
  const at::Tensor a = at::tensor({3.0, 4.0, 0.0, 1.0}, at::kDouble).view({2, 2});   // rows of norm 5 and 1
  const at::Tensor b = at::tensor({5.0, 1.0, 12.0, 1.0}, at::kDouble).view({2, 2});  // columns of norm 13 and sqrt 2
  EXPECT_EQ(bound_of_product(a, b), 65);
  EXPECT_EQ(bound_of_product(a.unsqueeze(0), b.unsqueeze(0)), 65);
}

TEST(ProductBound, SeesANumberThatIsNone) {
  reset_range(1);
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const bool in_last_row : {false, true}) {
      at::Tensor b = at::ones({3, 4}, at::kDouble);
      b[in_last_row ? 2 : 0][1] = odd;
      EXPECT_THROW(note_product(at::ones({2, 3}, at::kDouble), b, 0, "a product"), OutOfRange);
      EXPECT_THROW(note_product(b.t(), at::ones({3, 2}, at::kDouble), 0, "a product"), OutOfRange);
    }
  }
}

TEST(ProductBound, OfNothingIsNothing) {
  EXPECT_EQ(bound_of_product(at::empty({0, 3}, at::kDouble), at::empty({3, 0}, at::kDouble)), 0);
  EXPECT_EQ(bound_of_product(at::empty({2, 0}, at::kDouble), at::empty({0, 2}, at::kDouble)), 0);
}

}  // namespace
}  // namespace ordercheck::ranks
