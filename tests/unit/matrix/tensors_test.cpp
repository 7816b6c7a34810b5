#include "matrix/tensors.h"

#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

class Divergent : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("divergent_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TraceEntry entry(Phase phase, const std::string& module, const std::vector<double>& values) {
    const auto path = folder_ / std::to_string(files_++);
    const std::size_t bytes = values.size() * sizeof(double);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(bytes));
    return {.phase = phase, .module = module, .hash = hash_of(values.data(), bytes), .file = path.string()};
  }

  std::filesystem::path folder_;
  int files_ = 0;
};

TEST_F(Divergent, TheFirstInTheOrderOfExecutionIsMeasured) {
  Record expected, got;
  expected.trace = {entry(Phase::forward, "layers.0", {1, 2}), entry(Phase::forward, "layers.1", {3, 4}),
                    entry(Phase::backward, "layers.1", {5, 6})};
  got.trace = {entry(Phase::forward, "layers.0", {1, 2}), entry(Phase::forward, "layers.1", {3, 5}),
               entry(Phase::backward, "layers.1", {7, 8})};
  const auto divergence = first_divergence(expected, got);
  ASSERT_TRUE(divergence) << divergence.error().message;
  ASSERT_TRUE(*divergence);
  EXPECT_EQ((*divergence)->module, "layers.1");
  EXPECT_EQ((*divergence)->phase, Phase::forward);
  EXPECT_EQ((*divergence)->differing, 1);
  EXPECT_EQ((*divergence)->elements, 2);
  EXPECT_EQ((*divergence)->ulp, ulp_distance(4, 5));
  EXPECT_EQ((*divergence)->owed_largest, 4);
  EXPECT_EQ((*divergence)->got_largest, 5);
  EXPECT_EQ((*divergence)->apart, 1);
}

TEST_F(Divergent, ATensorIsMeasuredByName) {
  Record expected, got;
  expected.trace = {entry(Phase::forward, "layers.0", {1}), entry(Phase::backward, "gradient of w", {-7.25, 1})};
  got.trace = {entry(Phase::forward, "layers.0", {2}), entry(Phase::backward, "gradient of w", {0, 0})};
  const auto divergence = divergence_of("gradient of w", 0, expected, got);
  ASSERT_TRUE(divergence && *divergence);
  EXPECT_EQ((*divergence)->owed_largest, 7.25);
  EXPECT_EQ((*divergence)->got_largest, 0);
  EXPECT_FALSE(*divergence_of("gradient of w", 1, expected, got)) << "of another step";
  EXPECT_FALSE(*divergence_of("gradient of v", 0, expected, got));
}

TEST_F(Divergent, AFactorOfAllGradientsIsNamed) {
  const auto factor = [&](const std::vector<double>& a, const std::vector<double>& b) {
    Record expected, got;
    expected.trace = {entry(Phase::backward, "gradient of v", {-7.25, 1}), entry(Phase::backward, "gradient of w", {3})};
    got.trace = {entry(Phase::backward, "gradient of v", a), entry(Phase::backward, "gradient of w", b)};
    const auto words = common_factor(expected, got, 0);
    EXPECT_TRUE(words);
    return *words;
  };
  EXPECT_EQ(factor({-14.5, 2}, {6}), "2 times the owed gradient in all 2 gradients of step 0: divided by another degree?");
  EXPECT_EQ(factor({-7.25, 1}, {1.5}), "1/2 times the owed gradient in 1 of 2 gradients of step 0: divided by another degree?");
  EXPECT_EQ(factor({-14.5, 2}, {9}), "") << "two factors";
  EXPECT_EQ(factor({-14.5, 2}, {6.1}), "");
  EXPECT_EQ(factor({-14.5, 1}, {3}), "") << "one element";
  EXPECT_EQ(factor({-10.875, 1.5}, {4.5}), "") << "no degree";
  EXPECT_EQ(factor({0, 0}, {0}), "");
}

TEST_F(Divergent, WhatOneSideLacksIsPassedOver) {
  Record expected, got;
  expected.trace = {entry(Phase::forward, "layers.0", {1}), entry(Phase::forward, "layers.1", {2})};
  got.trace = {entry(Phase::forward, "layers.1", {2})};
  const auto divergence = first_divergence(expected, got);
  ASSERT_TRUE(divergence);
  EXPECT_FALSE(*divergence);
}

// A module that works on a piece without anybody having said so.
TEST_F(Divergent, AnotherShapeIsADifferenceOfItsOwn) {
  Record expected, got;
  expected.trace = {entry(Phase::forward, "layers.0", {3, 4})};
  got.trace = {entry(Phase::forward, "layers.0", {3})};
  expected.trace[0].shape = {2};
  got.trace[0].shape = {1};
  const auto divergence = first_divergence(expected, got);
  ASSERT_TRUE(divergence && *divergence);
  EXPECT_EQ((*divergence)->module, "layers.0");
  EXPECT_EQ((*divergence)->owed_shape, std::vector<std::int64_t>{2});
  EXPECT_EQ((*divergence)->got_shape, std::vector<std::int64_t>{1});
}

TEST_F(Divergent, NothingThatIsNoNumberHasADistance) {
  Record expected, got;
  expected.trace = {entry(Phase::forward, "layers.0", {1})};
  got.trace = {entry(Phase::forward, "layers.0", {std::numeric_limits<double>::quiet_NaN()})};
  const auto divergence = first_divergence(expected, got);
  ASSERT_TRUE(divergence && *divergence);
  EXPECT_EQ((*divergence)->ulp, UINT64_MAX);
  EXPECT_TRUE(std::isnan((*divergence)->got_largest)) << "a comparison would have passed over it";
}

TEST_F(Divergent, AMissingOrTornFileIsAnError) {
  Record expected, got;
  expected.trace = {entry(Phase::forward, "layers.0", {1, 2})};
  got.trace = {entry(Phase::forward, "layers.0", {1, 3})};
  std::filesystem::resize_file(got.trace[0].file, 12);
  auto divergence = first_divergence(expected, got);
  ASSERT_FALSE(divergence);
  EXPECT_THAT(divergence.error().message, testing::HasSubstr("holds 12 bytes"));
  std::filesystem::resize_file(got.trace[0].file, 8);
  divergence = first_divergence(expected, got);
  ASSERT_FALSE(divergence);
  EXPECT_THAT(divergence.error().message, testing::HasSubstr("holds 2 numbers and"));
  std::filesystem::remove(got.trace[0].file);
  EXPECT_FALSE(first_divergence(expected, got));
}

TEST(Counterpart, IsTheRecommendedOrderWhereOneRankIsNoJudge) {
  Case subject{.stack = *parse_stack("ac,tp=2")};
  const Recommend recommend = [](const Stack&) { return std::optional(*parse_stack("tp=2,ac")); };
  const auto counterpart = [&] {
    FakeRunner runner;
    runner.corrupt("ac,tp=2", corrupt_gradient);
    Runs runs(runner);
    const Layouts layouts = ask_layouts(subject, recommend, runs);
    EXPECT_TRUE(runs.run());
    return print(counterpart_of(layouts).subject());
  };
  EXPECT_EQ(counterpart(), "(nothing)");
  subject.settings.arithmetic = Arithmetic::float32;
  EXPECT_EQ(counterpart(), "tp=2,ac arithmetic=float32");
}

}  // namespace
}  // namespace ordercheck
