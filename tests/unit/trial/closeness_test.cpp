#include "trial/closeness.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "trial/run_plan.h"
#include "unit/trial/fake_runner.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

// A runner whose runs keep what they were asked to: gradients of `size` 1 that are off by `rounding`, in float32 arithmetic.
class Native : public testing::Test {
 protected:
  Native() {
    for (const char* stack : {"fsdp=2", "", "amp"})
      runner_.corrupt(stack, [this](Record& record, const Request& request) { keep(record, request); });
  }
  void TearDown() override { std::filesystem::remove_all(values_); }

  void keep(Record& record, const Request& request) {
    const Settings& settings = request.run.subject.settings;
    const bool native = settings.arithmetic == Arithmetic::float32;
    if (native && corrupt_) corrupt_(record, request);
    if (request.run.keep != Keep::values || record.ending != Ending::completed) return;
    const double rounding = native ? 1e-6 * (1 + 0.01 * settings.accumulation) : 0;
    const auto write = [&](Phase phase, int step, const std::string& what, double first) {
      const std::string name = std::to_string(record.trace.size());
      const double values[2] = {first, 0};
      std::ofstream(request.run.values_folder + "/" + name, std::ios::binary)
          .write(reinterpret_cast<const char*>(values), sizeof values);
      record.trace.push_back({.step = step, .phase = phase, .module = what, .hash = hash_of(what), .file = name});
    };
    for (int step = 0; step < settings.steps; ++step)
      for (const ParameterRecord& p : record.parameters) {
        const bool bad = !request.run.subject.stack.items.empty() && p.name == "output.weight" && step == 0;
        write(Phase::backward, step, "gradient of " + p.name, (1 + rounding) * (bad ? factor_ : 1));
      }
    for (const ParameterRecord& p : record.parameters) write(Phase::optimizer, settings.steps - 1, p.name, 1 + rounding);
  }

  CaseResult run() {
    Case c{.stack = *parse_stack("fsdp=2")};
    c.settings.arithmetic = Arithmetic::float32;
    const Plan plan{.engine = "native", .cases = {{c, {}}}, .not_planned = {}};
    auto result = run_plan(plan, runner_, {}, recommend_, {.values_folder = values_, .on_progress = {}});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? result->cases.at(0) : CaseResult{};
  }

  FakeRunner runner_;
  FakeRunner::Corrupt corrupt_;
  Recommend recommend_;
  double factor_ = 1;  // of one gradient of the case
  std::filesystem::path values_ = std::filesystem::path(testing::TempDir()) /
                                  ("closeness_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
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
