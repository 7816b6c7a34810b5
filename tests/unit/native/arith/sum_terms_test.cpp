#include "native/arith/sum_terms.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "native/arith/snap.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

at::Tensor sum_of(const at::Tensor& x, at::OptionalIntArrayRef dims, bool keepdim = false) {
  return sum_terms(x, Term::itself, 36, dims, keepdim, "a sum");
}

// Which dims, where they lie and how the tensor lies in memory: the sum is that of the snapped terms.
TEST(SumTerms, AddsTheSnappedTermsOverAnyDims) {
  reset_range(1);
  const at::Tensor whole = noise({3, 4, 5, 6}, 1);
  for (const at::Tensor& x : {whole, whole.transpose(0, 2), whole.slice(3, 0, {}, 2), whole.expand({2, 3, 4, 5, 6})[1]}) {
    for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
             {}, {0}, {1}, {3}, {-1}, {0, 1}, {2, 3}, {1, 2}, {0, 2}, {1, 3}, {0, 3}, {0, 1, 3}, {0, 1, 2, 3}}) {
      for (const bool keepdim : {false, true}) {
        const at::Tensor owed = snapped(x, 36).contiguous().sum(at::OptionalIntArrayRef(dims), keepdim);
        EXPECT_TRUE(same_bits(sum_of(x, dims, keepdim), owed)) << at::IntArrayRef(dims);
      }
    }
  }
}

TEST(SumTerms, TakesMagnitudesAndSquares) {
  reset_range(1);
  const at::Tensor x = at::tensor({3.0, -4.0}, at::kDouble);
  EXPECT_EQ(sum_terms(x, Term::magnitude, 36, {}, false, "a norm").item<double>(), 7);
  EXPECT_EQ(sum_terms(x, Term::square, 36, {}, false, "a norm").item<double>(), 25);
}

TEST(SumTerms, OfOneTermRoundsItAsAnyOther) {
  reset_range(1);
  EXPECT_EQ(sum_of(at::full({1}, 1.26, at::kDouble), {}).item<double>(),
            snapped(at::full({1}, 1.26, at::kDouble), 36)[0].item<double>());
  EXPECT_EQ(sum_terms(at::full({}, 1.26, at::kDouble), Term::itself, 2, {}, false, "a sum").item<double>(), 1.25);
}

TEST(SumTerms, NotesTheLargestSumOfMagnitudes) {
  const at::Tensor x = at::tensor({1.0, -2.0, 3.0, 4.0, 5.0, -6.0}, at::kDouble).reshape({2, 3});
  const auto noted = [&](std::vector<int64_t> dims) {
    reset_range(1);
    sum_of(x, dims);
    return range_used() * std::ldexp(1.0, 53 - 36);
  };
  EXPECT_EQ(noted({1}), 15);
  EXPECT_EQ(noted({0}), 9);
  EXPECT_EQ(noted({0, 1}), 21);
}

TEST(SumTerms, NamesWhatLeavesTheRange) {
  reset_range(1);
  for (const double odd : {1e9, 0x1p16, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{{0}, {1}}) {
      at::Tensor x = at::ones({2, 3}, at::kDouble);
      x[0][1] = odd;
      try {
        sum_of(x, dims);
        FAIL() << odd;
      } catch (const OutOfRange& error) {
        EXPECT_THAT(error.what(), HasSubstr("exact arithmetic left its range in a sum"));
      }
    }
  }
}

TEST(SumTerms, CountsThem) {
  const at::Tensor x = at::ones({2, 3, 4}, at::kDouble);
  EXPECT_EQ(terms_of(x, at::IntArrayRef({0, 2})), 8);
  EXPECT_EQ(terms_of(x, at::IntArrayRef()), 24);
  EXPECT_EQ(terms_of(x, std::nullopt), 24);
}

}  // namespace
}  // namespace ordercheck::ranks
