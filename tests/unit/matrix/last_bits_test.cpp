#include "matrix/last_bits.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matrix/run_plan.h"
#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"
#include "unit/rules/sample_rules.h"

namespace ordercheck {
namespace {

Apart gradient(const std::string& of, double total, double size = 1) {
  return {.what = "gradient of " + of, .phase = Phase::backward, .total = total, .largest = total, .size = size};
}

const Difference kOfBias{.what = "gradient of bias"};

TEST(LastBits, AreSmallInEveryPlace) {
  EXPECT_TRUE(are_last_bits({gradient("bias", 0x1p-44)}, kOfBias, 20));
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-44), gradient("weight", 1e-3)}, kOfBias, 20));
  EXPECT_TRUE(are_last_bits({gradient("bias", 0x1p-24, 0x1p-15)}, kOfBias, 20)) << "a router's: less than a unit of the grid";
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-24, 0x1p-15)}, kOfBias, 25)) << "more than a unit of it";
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-24, 0x1p-29)}, kOfBias, 20)) << "of a small tensor it is much";
  EXPECT_FALSE(are_last_bits({gradient("bias", std::numeric_limits<double>::infinity())}, kOfBias, 20));
}

TEST(LastBits, AreOfWhatWasMeasured) {
  EXPECT_FALSE(are_last_bits({}, kOfBias, 20));
  EXPECT_FALSE(are_last_bits({gradient("weight", 0x1p-44)}, kOfBias, 20)) << "what differs first has no tensor";
  EXPECT_FALSE(are_last_bits({gradient("bias", 0x1p-44)}, {.what = "gradient of bias", .step = 1}, 20));
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
  EXPECT_EQ(place_that_stays(
                {gradient("bias", 3e-15), gradient("weight", 1e-13)},
                {{gradient("bias", 5e-14), gradient("weight", 1e-13)}, {gradient("bias", 8e-13), gradient("weight", 1e-13)}}),
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
  EXPECT_TRUE(are_last_bits(*places, {.what = "loss"}, 20));
}

// A stack whose gradient is apart from the reference's by what a test says of the grid.
class OnEveryGrid : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(values_); }

  Observation judged(const std::function<double(int)>& apart, const std::string& model = "llama",
                     bool apart_with_coarse_factors = true) {
    FakeRunner runner;
    runner.corrupt("tp=2", [&](Record& record, const Request& request) {
      if (request.run.coarse_factors && !apart_with_coarse_factors) return;
      corrupt_gradient(record, request);
      keep(record, request, 1.0 + apart(request.run.subject.settings.grid));
    });
    runner.corrupt("", [&](Record& record, const Request& request) { keep(record, request, 1.0); });
    const Plan plan{.engine = "native",
                    .cases = {{{.stack = *parse_stack("tp=2"), .model = model}, {{SourceKind::legal, ""}}}},
                    .not_planned = {}};
    const auto result = run_plan(plan, runner, sample_rules(), {}, {.values_folder = values_, .on_progress = {}});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result->cases.at(0).outcome.seen;
  }

 private:
  void keep(Record& record, const Request& request, double value) {
    if (request.run.keep != Keep::values) return;
    std::ofstream(std::filesystem::path(request.run.values_folder) / "gradient", std::ios::binary)
        .write(reinterpret_cast<const char*>(&value), sizeof value);
    record.trace = {{.phase = Phase::backward,
                     .module = "gradient of layers.0.attention.wq.weight",
                     .hash = hash_of(&value, sizeof value),
                     .file = "gradient"}};
  }

  std::filesystem::path values_ = std::filesystem::path(testing::TempDir()) /
                                  ("last_bits_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(OnEveryGrid, WhatMovesWithTheGridIsUnstable) {
  const Observation seen = judged([](int grid) { return std::ldexp(1.0, -2 * grid - 4); });
  EXPECT_EQ(seen.verdict, Verdict::unstable);
  EXPECT_THAT(
      seen.message,
      testing::EndsWith("; it moves with the grid, as rounding does: gradient of layers.0.attention.wq.weight is 5.7e-14 "
                        "apart on the grid 2^-20, 9.1e-13 on 2^-18, 1.5e-11 on 2^-16"));
}

TEST_F(OnEveryGrid, PartialSumsThatAreOperandsAreUnstableAndAnErrorOfTheirSizeDiffers) {
  EXPECT_EQ(judged([](int grid) { return std::ldexp(1.0, -grid - 6); }).verdict, Verdict::unstable);
  EXPECT_EQ(judged([](int) { return 0x1p-26; }).verdict, Verdict::differs);
}

TEST_F(OnEveryGrid, ATinyErrorThatStaysDiffers) {
  const Observation seen = judged([](int) { return 1e-13; });
  EXPECT_EQ(seen.verdict, Verdict::differs);
  EXPECT_THAT(seen.message, testing::HasSubstr("it is no rounding"));
}

TEST_F(OnEveryGrid, RoundingOfFunctionsOfParametersIsEqualWhereNoProductRounds) {
  const auto rounding = [](int grid) { return std::ldexp(1.0, -2 * grid - 4); };
  const Observation seen = judged(rounding, "mine:net", false);
  EXPECT_EQ(seen.verdict, Verdict::equal);
  EXPECT_FALSE(seen.difference);
  EXPECT_THAT(seen.message, testing::HasSubstr("apart by rounding, which moves with the grid"));
  EXPECT_EQ(judged(rounding, "mine:net", true).verdict, Verdict::unstable) << "apart there too";
  EXPECT_EQ(judged(rounding, "llama", false).verdict, Verdict::unstable) << "has no function of a parameter";
  EXPECT_EQ(judged([](int) { return 1e-13; }, "mine:net", false).verdict, Verdict::differs) << "an error stays";
}

TEST_F(OnEveryGrid, ALargeErrorDiffersHoweverItMoves) {
  EXPECT_EQ(judged([](int grid) { return std::ldexp(1.0, 9 - grid); }).verdict, Verdict::differs);
}

}  // namespace
}  // namespace ordercheck
