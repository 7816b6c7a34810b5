#include "matrix/case_trial.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

std::optional<Stack> reversed(const Stack& stack) { return Stack{.items = {stack.items.rbegin(), stack.items.rend()}}; }

TEST(Trial, HoldsACaseAgainstOneRankTheRecommendedOrderAndATwinAnItem) {
  FakeRunner runner;
  Runs runs(runner);
  const Case c{.stack = *parse_stack("tp=2,ac")};
  Trial trial = begin_trial({c, {}}, reversed, runs);
  ASSERT_TRUE(runs.run());
  ask_again(trial, runs);
  ASSERT_TRUE(runs.run());
  EXPECT_EQ(runner.seen.size(), 6u);  // the case twice, the reference, the recommended order, two twins
  const Comparison comparison = *comparison_of(trial);
  EXPECT_TRUE(comparison.recommended);
  EXPECT_EQ(comparison.twins.size(), 2u);
}

TEST(Trial, AFunctionOfTheUsersHasNoOtherOrderAndNoTwins) {
  FakeRunner runner;
  Runs runs(runner);
  const Case c{.stack = *parse_stack("tp=2,ac"), .apply = "mine:parallelize"};
  Trial trial = begin_trial({c, {}}, reversed, runs);
  ASSERT_TRUE(runs.run());
  ask_again(trial, runs);
  ASSERT_TRUE(runs.run());
  ASSERT_EQ(runner.seen.size(), 3u);  // the case twice, and the reference, which applies nothing
  for (const Request& request : runner.seen)
    EXPECT_EQ(request.run.subject.apply, request.run.subject.stack.items.empty() ? "" : "mine:parallelize");
  const Comparison comparison = *comparison_of(trial);
  EXPECT_FALSE(comparison.recommended);
  EXPECT_TRUE(comparison.twins.empty());
}

TEST(Trial, InductorIsAlsoRunWithTheCodeThatItWrites) {
  FakeRunner runner;
  Runs runs(runner);
  Trial trial = begin_trial({{.stack = *parse_stack("ac,compile=inductor"), .engine = "pytorch"}, {}}, {}, runs);
  ASSERT_TRUE(trial.compiler_code);
  EXPECT_EQ(trial.compiler_code->with.subject().settings.arithmetic, Arithmetic::float32);
  EXPECT_EQ(trial.compiler_code->with.subject().stack, trial.planned.subject.stack);
  EXPECT_EQ(trial.compiler_code->twins.size(), 2u);
  Case stand_in = trial.planned.subject;
  stand_in.stack = *parse_stack("ac,compile");
  EXPECT_FALSE(begin_trial({stand_in, {}}, {}, runs).compiler_code);
  Case float32 = trial.planned.subject;
  float32.settings.arithmetic = Arithmetic::float32;
  EXPECT_FALSE(begin_trial({float32, {}}, {}, runs).compiler_code);
}

}  // namespace
}  // namespace ordercheck
