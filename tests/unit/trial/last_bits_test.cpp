#include "trial/last_bits.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

Apart gradient(const std::string& of, double total, double size = 1) {
  return {.what = "gradient of " + of, .phase = Phase::backward, .total = total, .largest = total, .size = size};
}

const Difference kOfBias{.what = "gradient of bias"};

TEST(LastBits, AreSmallInEveryPlace) {
  EXPECT_TRUE(are_last_bits({gradient("bias", 0x1p-44)}, kOfBias));
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-44), gradient("weight", 1e-9)}, kOfBias));
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-44, 0x1p-10)}, kOfBias)) << "of a small tensor it is much";
  EXPECT_FALSE(are_last_bits({gradient("bias", std::numeric_limits<double>::infinity())}, kOfBias));
}

TEST(LastBits, AreOfWhatWasMeasured) {
  EXPECT_FALSE(are_last_bits({}, kOfBias));
  EXPECT_FALSE(are_last_bits({gradient("weight", 0x1p-44)}, kOfBias)) << "what differs first has no tensor";
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-44)}, {.what = "gradient of bias", .step = 1}));
}

TEST(LastBits, RoundingMovesWithTheGrid) {
  EXPECT_FALSE(place_that_stays({gradient("bias", 3e-15)}, {{gradient("bias", 5e-14)}, {gradient("bias", 8e-13)}}));
}

TEST(LastBits, AnErrorStays) {
  EXPECT_EQ(place_that_stays({gradient("bias", 1e-13)}, {{gradient("bias", 1e-13)}, {gradient("bias", 1e-13)}}),
            "gradient of bias");
  EXPECT_EQ(place_that_stays({gradient("bias", 1e-13)}, {{gradient("bias", 1.1e-13)}, {gradient("bias", 9e-13)}}),
            "gradient of bias")
      << "rounding of a coarser grid hides none on the one before";
}

TEST(LastBits, AnErrorBesideRoundingStays) {
  EXPECT_EQ(place_that_stays({gradient("bias", 3e-15), gradient("weight", 1e-13)},
                             {{gradient("bias", 5e-14), gradient("weight", 1e-13)},
                              {gradient("bias", 8e-13), gradient("weight", 1e-13)}}),
            "gradient of weight");
}

TEST(LastBits, NumbersOfAStepAreMeasuredToo) {
  Record owed, got;
  owed.steps = {{.loss = {bits_of(2.0)}, .gradient_norm = {bits_of(3.0)}}};
  got.steps = {{.loss = {bits_of(2.0), bits_of(2.0 + 0x1p-40)}, .gradient_norm = {bits_of(3.0), bits_of(3.0)}}};
  const auto places = places_apart(owed, got);
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 1u);
  EXPECT_EQ(places->front().what, "loss");
  EXPECT_EQ(places->front().total, 0x1p-40);
  EXPECT_TRUE(are_last_bits(*places, {.what = "loss"}));
}

}  // namespace
}  // namespace ordercheck
