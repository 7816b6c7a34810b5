#include "trial/closeness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/trial/float32_runs.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

Case in_float32(const char* stack) {
  Case c{.stack = *parse_stack(stack)};
  c.settings.arithmetic = Arithmetic::float32;
  return c;
}

class Native : public Float32Runs {
 protected:
  Native() : Float32Runs(in_float32("fsdp=2")) {}
};

TEST_F(Native, ARunThatRepeatsItselfWithinTheFloorIsCloseAndConfirmsThatEqualWasPredicted) {
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::close) << result.outcome.seen.message;
  EXPECT_EQ(result.outcome.agreement, Agreement::confirmed);
  EXPECT_THAT(result.outcome.seen.message,
              HasSubstr("every number is within 16 times its noise floor of a float64 single-rank run"));
}

TEST_F(Native, AGradientThatIsOffByAFactorDiffersAndIsNamedWithBothNumbers) {
  for (const double factor : {1.5, 1.01, 0.0}) {
    factor_ = factor;
    const CaseResult result = run();
    EXPECT_EQ(result.outcome.seen.verdict, Verdict::differs) << factor;
    EXPECT_THAT(result.outcome.seen.message, HasSubstr("gradient of output.weight in step 0 is ")) << factor;
    EXPECT_THAT(result.outcome.seen.message, HasSubstr("rounding explains 1.2e-06")) << factor;
    EXPECT_THAT(result.outcome.seen.message, HasSubstr("(1 of 3 gradients are more than 16 times the noise floor away)"));
    EXPECT_EQ(result.persistence, "also with seed 2");
    EXPECT_FALSE(result.divergence) << "every tensor has other bits than one rank's";
    EXPECT_EQ(result.outcome.agreement, Agreement::contradiction);
  }
}

TEST_F(Native, UnlikeItselfIsUnstable) {
  corrupt_ = [](Record& record, const Request& request) {
    if (request.turn == 1) corrupt_gradient(record, request);
  };
  EXPECT_EQ(run().outcome.seen.verdict, Verdict::unstable);
}

TEST_F(Native, WithoutAFloorNothingIsDecided) {
  corrupt_ = [](Record& record, const Request& request) {
    if (request.run.subject.stack.items.empty() && request.run.subject.settings.accumulation == 16)
      record = sample_failure(Ending::failed, Phase::build, "no memory");
  };
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::unrun);
  EXPECT_EQ(result.outcome.agreement, Agreement::undecided);
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("there is no noise floor to compare it with: the single-rank run for the "
                                                     "noise floor failed in build: no memory"));
}

TEST_F(Native, OtherBitsThanTheRecommendedOrderDifferHoweverClose) {
  recommend_ = [](const Stack&) { return std::optional(*parse_stack("tp=2")); };
  runner_.corrupt("tp=2", corrupt_gradient);
  EXPECT_THAT(run().outcome.seen.message, HasSubstr("is not that of the recommended order"));
}

TEST(FloorRuns, AreOfOneRankWithTheNumericTransformsAndOtherSplits) {
  Case c{.stack = *parse_stack("fsdp=2,amp")};
  c.settings.arithmetic = Arithmetic::float32;
  std::set<std::pair<std::uint64_t, int>> settings;
  for (const Case& run : floor_runs_of(c)) {
    EXPECT_EQ(print(run.stack), "amp");
    EXPECT_EQ(run.settings.arithmetic, Arithmetic::float32);
    settings.insert({run.settings.seed, run.settings.accumulation});
  }
  EXPECT_EQ(settings.size(), 3u);
  EXPECT_TRUE(settings.contains({1, 1}) && settings.contains({1, 16}));
  EXPECT_EQ(print(float64_of(c)), "(nothing) arithmetic=plain");
}

TEST(FloorRuns, AreNotMadeForExactArithmetic) {
  FakeRunner runner;
  Runs runs(runner);
  Trial trial = begin_trial({{.stack = *parse_stack("fsdp=2")}, {}}, {}, runs);
  ask_again(trial, runs);
  EXPECT_FALSE(trial.layouts.near);
}

}  // namespace
}  // namespace ordercheck
