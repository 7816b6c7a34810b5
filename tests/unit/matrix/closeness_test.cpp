#include "matrix/closeness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/matrix/float32_runs.h"

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
  ASSERT_TRUE(runs.run());
  ask_again(trial, runs);
  EXPECT_FALSE(trial.layouts.near);
}

Case compiled() { return {.stack = *parse_stack("compile=inductor"), .engine = "pytorch"}; }

// In exact arithmetic the compiler calls operators; what is off by a factor is the code that it writes.
class CompilerCode : public Float32Runs {
 protected:
  CompilerCode() : Float32Runs(compiled()) {
    runner_.corrupt("compile=inductor", [this](Record& record, const Request& request) {
      record.counters.graph_captures = 1;
      record.counters.products_in_scope = record.counters.products_in_graphs = 24;
      keep(record, request);
    });
  }
  int seen(Arithmetic arithmetic, const char* stack) const {
    return static_cast<int>(std::ranges::count_if(runner_.seen, [&](const Request& request) {
      const Case& c = request.run.subject;
      return c.settings.arithmetic == arithmetic && print(c.stack) == stack && c.settings.seed == 1;
    }));
  }
};

TEST_F(CompilerCode, WithinTheFloorIsEqualAndTheVerdictSaysWhichWasBitwise) {
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::equal) << result.outcome.seen.message;
  EXPECT_EQ(
      result.outcome.seen.message,
      "exact arithmetic with operators: every loss, gradient and parameter is bitwise equal to the single-rank reference; "
      "the compiler's own code in float32 arithmetic: close, at most 0.9 times the noise floor away");
  EXPECT_FALSE(result.in_compiler_code);
  EXPECT_EQ(seen(Arithmetic::float32, "compile=inductor"), 1) << "compiling takes long: it is run once";
}

TEST_F(CompilerCode, FarBeyondTheFloorDiffers) {
  factor_ = 1.01;
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::differs) << result.outcome.seen.message;
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("gradient of output.weight in step 0 is 0.01 from a float64"));
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("seen with the code that the compiler writes, in float32 arithmetic"));
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("with operators in exact arithmetic it does not differ"));
  EXPECT_TRUE(result.in_compiler_code);
  EXPECT_EQ(result.persistence, "also with seed 2");
  EXPECT_FALSE(result.divergence) << "no tensor differs where operators were called";
  EXPECT_EQ(result.outcome.agreement, Agreement::contradiction);
}

TEST_F(CompilerCode, FarOnOneSeedAloneIsUnstable) {
  corrupt_ = [this](Record&, const Request& request) { factor_ = request.run.subject.settings.seed == 1 ? 1.5 : 1; };
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::unstable);
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("not there with seed 2"));
}

TEST_F(CompilerCode, WithoutAFloorNothingIsDecided) {
  corrupt_ = [](Record& record, const Request& request) {
    if (request.run.subject.stack.items.empty()) record = sample_failure(Ending::failed, Phase::build, "no memory");
  };
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::unrun);
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("no noise floor to compare the compiler's own code with: the single-rank "
                                                     "run for the noise floor failed in build: no memory"));
}

TEST_F(CompilerCode, WhatDiffersWithOperatorsTooIsTracedBitForBit) {
  factor_ = 1.5;
  runner_.corrupt("compile=inductor", [this](Record& record, const Request& request) {
    keep(record, request);
    if (request.run.subject.settings.arithmetic == Arithmetic::exact) bend_gradient(record);
  });
  const CaseResult result = run();
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::differs);
  EXPECT_FALSE(result.in_compiler_code);
  EXPECT_EQ(result.persistence, "also with seed 2, also on the grid 2^-18");
}

// torch.compile in a user's function or model, which no item of the stack has to name.
TEST(CompilerCodeOfAUser, IsRunWhereGraphsWereCaptured) {
  const auto runs_compiler_code = [](const char* text, std::int64_t captures) {
    FakeRunner runner;
    Case c = *parse_case(text);
    runner.corrupt(print(c.stack), [&](Record& record, const Request&) { record.counters.graph_captures = captures; });
    Runs runs(runner);
    Trial trial = begin_trial({c, {}}, {}, runs);
    EXPECT_TRUE(runs.run());
    ask_again(trial, runs);
    return trial.compiler_code.has_value();
  };
  EXPECT_TRUE(runs_compiler_code("fsdp=2 engine=pytorch apply=mine:shard", 1));
  EXPECT_TRUE(runs_compiler_code("compile,fsdp=2 engine=pytorch apply=mine:shard", 1));
  EXPECT_TRUE(runs_compiler_code("fsdp=2 engine=pytorch model=mine:compiled", 1));
  EXPECT_FALSE(runs_compiler_code("fsdp=2 engine=pytorch apply=mine:shard", 0)) << "nothing was compiled";
  EXPECT_FALSE(runs_compiler_code("compile=aot_eager,fsdp=2 engine=pytorch apply=mine:shard", 1)) << "no code is written";
  EXPECT_FALSE(runs_compiler_code("compile,fsdp=2 engine=pytorch", 1)) << "a stand-in without code of its own";
  EXPECT_FALSE(runs_compiler_code("fsdp=2 engine=pytorch apply=mine:shard arithmetic=float32", 1)) << "it ran its own code";
  EXPECT_FALSE(runs_compiler_code("auto_parallel=2", 1)) << "it captures what it places, and writes no code";
  EXPECT_TRUE(runs_compiler_code("auto_parallel=2 engine=pytorch apply=mine:shard", 1)) << "which may compile as well";
}

}  // namespace
}  // namespace ordercheck
