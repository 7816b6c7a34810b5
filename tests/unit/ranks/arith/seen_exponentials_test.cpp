#include "ranks/arith/seen_exponentials.h"

#include <limits>

#include "ranks/arith/softmax.h"
#include "unit/ranks/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

void expect_those_of_all(const at::Tensor& scores) {
  const Exactly exact;
  const SeenExponentials made = seen_exponentials(scores, "a test");
  const double used = range_used();
  reset_range(1);
  const Exponentials owed = exponentials(scores, -1, "a test");
  EXPECT_TRUE(same_bits(made.values, owed.values)) << scores.sizes();
  EXPECT_TRUE(same_bits(made.sum, owed.sum));
  EXPECT_TRUE(same_bits(made.largest, scores.amax(-1, /*keepdim=*/true)));
  EXPECT_EQ(used, range_used());
}

TEST(SeenExponentials, AreThoseOfAllScores) {
  for (const int64_t keys : {1, 7, 24, 65}) {
    const at::Tensor scores = noise({3, 24, keys}, 1) * 9;
    expect_those_of_all(scores);
    expect_those_of_all(scores.masked_fill(at::ones({24, keys}, at::kBool).triu(1), kHidden));
    expect_those_of_all(scores.masked_fill(noise({3, 24, keys}, 2) > 0.5, kHidden));
  }
}

TEST(SeenExponentials, OfARowThatIsHiddenAreZeros) {
  at::Tensor scores = noise({2, 3, 5}, 1);
  scores[1][2].fill_(kHidden);
  expect_those_of_all(scores);
}

TEST(SeenExponentials, OfWhatIsNoNumberAreRefused) {
  at::Tensor scores = noise({2, 3, 24}, 1);
  for (const int64_t place : {0, 11, 23}) {
    const Exactly exact;
    at::Tensor odd = scores.clone();
    odd[1][1][place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(seen_exponentials(odd, "a test"), OutOfRange);
  }
}

TEST(SeenExponentials, OfNoKeysAreRefused) { EXPECT_THROW(seen_exponentials(noise({2, 3, 0}, 1), "a test"), c10::IndexError); }

}  // namespace
}  // namespace ordercheck::ranks
