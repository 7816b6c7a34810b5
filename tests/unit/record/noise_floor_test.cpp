#include "record/noise_floor.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Away gradient(const char* name, int step, double error, double size = 1) {
  return {.kind = Measured::gradient, .name = name, .step = step, .error = error, .size = size};
}

TEST(NoiseFloor, IsTheLargestDistanceOfAnyRun) {
  const auto floor = noise_floor({{gradient("wq", 0, 1e-6)}, {gradient("wq", 0, 3e-6)}, {gradient("wq", 0, 2e-6)}});
  ASSERT_EQ(floor.size(), 1u);
  EXPECT_DOUBLE_EQ(floor[0], 3e-6);
}

// What cancelled by luck in every split need not cancel in a layout.
TEST(NoiseFloor, IsAtLeastTheNoiseOfAllGradientsOfTheStep) {
  const Away norm{.kind = Measured::gradient_norm, .step = 0, .error = 0, .size = 2};
  const auto floor = noise_floor({{gradient("wq", 0, 3e-6, 3), gradient("scale", 0, 0, 4), norm, gradient("wq", 1, 7e-3)}});
  EXPECT_DOUBLE_EQ(floor[0], 1e-6);
  EXPECT_DOUBLE_EQ(floor[1], 0.6e-6);
  EXPECT_DOUBLE_EQ(floor[2], 0.6e-6);
  EXPECT_DOUBLE_EQ(floor[3], 7e-3) << "another step has a noise of its own";
}

TEST(NoiseFloor, IsNeverBelowTheRoundingOfOneNumber) {
  EXPECT_EQ(noise_floor({{gradient("wq", 0, 0)}}), std::vector<double>{0x1p-24});
}

TEST(NoiseFloor, IsHigherOnceAnOptimizerMayHaveTurnedAnElementAround) {
  const Away parameter{.kind = Measured::parameter, .name = "wq", .error = 0, .size = 1};
  EXPECT_EQ(noise_floor({{gradient("wq", 1, 0), parameter}}), (std::vector<double>{kAfterAStep, kAfterAStep}));
}

TEST(NoiseFloor, RunsThatListOtherTensorsHaveNone) {
  EXPECT_TRUE(noise_floor({{gradient("wq", 0, 0)}, {gradient("wk", 0, 0)}}).empty());
  EXPECT_THAT(held_against_floor({gradient("wq", 0, 0)}, {}).no_floor, HasSubstr("do not list"));
}

TEST(Closeness, IsDecidedAtSixteenTimesTheFloor) {
  const std::vector<double> floor{1e-6};
  EXPECT_TRUE(held_against_floor({gradient("wq", 0, 15e-6)}, floor).beyond.empty());
  const auto far = held_against_floor({gradient("wq", 0, 17e-6)}, floor);
  ASSERT_EQ(far.beyond.size(), 1u);
  EXPECT_EQ(far.gradients, 1);
  EXPECT_EQ(describe(far.beyond[0]),
            "gradient of wq in step 0 is 1.7e-05 from a float64 single-rank run; rounding explains 1.0e-06");
}

TEST(Closeness, TellsTheFarthestOfEachKind) {
  const auto closeness = held_against_floor(
      {{.kind = Measured::loss, .step = 0, .error = 1e-7, .size = 5}, gradient("wq", 0, 2e-6), gradient("wk", 0, 3e-6)},
      {1e-6, 1e-6, 1e-5});
  ASSERT_EQ(closeness.farthest.size(), 2u);
  EXPECT_EQ(closeness.farthest[0].away.kind, Measured::loss);
  EXPECT_EQ(closeness.farthest[1].away.name, "wq") << "2 times its floor, wk is 0.3 times";
}

TEST(Closeness, WhatIsNoNumberIsBeyondWhereTheFloorIsFinite) {
  const auto closeness = held_against_floor({gradient("wq", 0, kInfinity)}, {1e-6});
  ASSERT_EQ(closeness.beyond.size(), 1u);
  EXPECT_THAT(describe(closeness.beyond[0]), HasSubstr("gradient of wq in step 0 is not a number"));
}

TEST(Closeness, ATensorThatIsNotThereIsBeyond) {
  const Away absent{.kind = Measured::gradient, .name = "wq", .absent = true};
  EXPECT_THAT(describe(held_against_floor({absent}, {1e-6}).beyond.at(0)), HasSubstr("is not there"));
}

TEST(Closeness, AFloorThatIsNoNumberIsNone) {
  const auto floor = noise_floor({{gradient("wk", 0, 1e-6), gradient("wq", 0, kInfinity)}});
  const auto closeness = held_against_floor({gradient("wk", 0, 1e-6), gradient("wq", 0, 1e-6)}, floor);
  EXPECT_EQ(closeness.no_floor, "the gradient of wq in step 0 of the single-rank reference is not a number in this dtype");
  EXPECT_TRUE(closeness.beyond.empty());
}

TEST(Closeness, WhereZerosAloneWereOwedAnythingIsFar) {
  EXPECT_EQ(distance_of(gradient("wq", 0, 0, 0)), 0);
  EXPECT_THAT(describe({.away = gradient("wq", 0, 0.25, 0), .floor = 1e-6}),
              HasSubstr("is 0.25 where a float64 single-rank run has zeros"));
}

TEST(Closeness, NamesTheWorstGradientOfTheFirstStep) {
  const std::vector<Held> beyond{{.away = {.kind = Measured::loss, .step = 0, .error = 1, .size = 1}, .floor = 1e-9},
                                 {.away = gradient("wq", 0, 1e-3), .floor = 1e-6},
                                 {.away = gradient("wk", 0, 2e-3), .floor = 1e-6},
                                 {.away = gradient("wv", 1, 1), .floor = 1e-6}};
  EXPECT_EQ(worst_of(beyond).away.name, "wk");
}

}  // namespace
}  // namespace ordercheck
