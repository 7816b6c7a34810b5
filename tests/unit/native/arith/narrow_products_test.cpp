#include "native/arith/narrow_products.h"

#include <cmath>
#include <limits>

#include <ATen/CPUFunctions.h>

#include "native/arith/snap.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

at::Tensor by_columns(const at::Tensor& x) { return x.transpose(1, 2).contiguous().transpose(1, 2); }

at::Tensor every_second(const at::Tensor& x) {
  return at::zeros_like(x).repeat_interleave(2, 1).repeat_interleave(2, 2).slice(1, 0, {}, 2).slice(2, 0, {}, 2).copy_(x);
}

void expect_the_stock_bits(const at::Tensor& a, const at::Tensor& b) {
  for (const at::Tensor& x : {a, by_columns(a), every_second(a)}) {
    for (const at::Tensor& y : {b, by_columns(b), every_second(b)}) {
      const at::Tensor made = product_on_grid(x, y), stock = at::cpu::bmm(x, y);
      EXPECT_TRUE(same_bits(made, stock)) << a.sizes() << " times " << b.sizes();
      EXPECT_EQ(made.strides(), stock.strides());
    }
  }
}

TEST(NarrowProducts, AreTheStockOnesToTheBit) {
  for (const int64_t count : {0, 1, 3}) {
    for (const int64_t rows : {0, 1, 2, 5, 24}) {
      for (const int64_t terms : {0, 1, 2, 3, 7, 24}) {
        for (const int64_t columns : {0, 1, 2, 9, 24}) {
          expect_the_stock_bits(snapped(noise({count, rows, terms}, 1), 20), snapped(noise({count, terms, columns}, 2), 20));
        }
      }
    }
  }
}

TEST(NarrowProducts, HaveTheStockSignOfZero) {
  const double zero = -0.0;
  for (const int64_t count : {1, 3}) {
    for (const int64_t terms : {1, 2, 5, 24}) {
      for (const int64_t columns : {1, 2, 24}) {
        expect_the_stock_bits(at::full({count, 24, terms}, zero, at::kDouble), at::ones({count, terms, columns}, at::kDouble));
        expect_the_stock_bits(at::ones({count, 24, terms}, at::kDouble), at::full({count, terms, columns}, zero, at::kDouble));
      }
    }
  }
}

TEST(NarrowProducts, KeepWhatIsNoNumber) {
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    at::Tensor a = noise({2, 24, 2}, 1), b = noise({2, 24, 2}, 2);
    a[1][3][1] = odd;
    b[0][5][0] = odd;
    for (const auto& [x, y] : {std::pair(a, b.transpose(1, 2)), std::pair(a.transpose(1, 2), b)}) {
      EXPECT_TRUE(at::equal(product_on_grid(x, y).isfinite(), at::cpu::bmm(x, y).isfinite()));
    }
  }
}

TEST(NarrowProducts, OfOtherSizesAreRefusedAsTheStockOnes) {
  EXPECT_THROW(product_on_grid(noise({1, 2, 3}, 1), noise({1, 2, 3}, 2)), c10::Error);
  EXPECT_THROW(product_on_grid(noise({2, 3}, 1), noise({3, 2}, 2)), c10::Error);
}

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
