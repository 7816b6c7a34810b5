#include "parity/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/parity/sound_comparison.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(Verdict, NamesAreFoundAgain) {
  for (auto verdict : {Verdict::equal, Verdict::close, Verdict::differs, Verdict::fails, Verdict::hangs, Verdict::ignored,
                       Verdict::unstable, Verdict::unrun})
    EXPECT_EQ(find_named<Verdict>(name_of(verdict)), verdict);
  EXPECT_FALSE(find_named<Verdict>("passed"));
}

TEST(VerdictOnCompilerCode, WhatRunsExactlyButNotInItsOwnCodeFails) {
  Comparison comparison = sound();
  comparison.compiler_code =
      CompilerCode{.with = sample_failure(Ending::failed, Phase::backward, "no such vector"), .twins = {}};
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::fails);
  EXPECT_EQ(seen.phase, Phase::backward);
  EXPECT_THAT(seen.message, HasSubstr("no such vector"));
  EXPECT_THAT(seen.message, HasSubstr("float32"));
  corrupt(comparison.reference);
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);  // numbers go first
}

// What the compiler writes, held against the noise floor.
Comparison compiled(double times_floor) {
  Comparison comparison = sound();
  const Held held{.away = {.kind = Measured::gradient, .name = "output.weight", .error = times_floor * 1e-6, .size = 1},
                  .floor = 1e-6};
  comparison.compiler_code =
      CompilerCode{.with = comparison.first, .twins = comparison.twins, .closeness = Closeness{.farthest = {held}}};
  if (times_floor > kFarBeyond) comparison.compiler_code->closeness->beyond = {held};
  return comparison;
}

TEST(VerdictOnCompilerCode, SaysOfOwnCodeHowCloseItIs) {
  const auto seen = judge(compiled(0.8));
  EXPECT_EQ(seen.verdict, Verdict::equal);
  EXPECT_EQ(
      seen.message,
      "exact arithmetic with operators: every loss, gradient and parameter is bitwise equal to the single-rank reference; "
      "the compiler's own code in float32 arithmetic: close, at most 0.8 times the noise floor away");
  EXPECT_FALSE(differs_in_compiler_code(compiled(0.8)));
}

TEST(VerdictOnCompilerCode, OwnCodeFarBeyondTheFloorDiffers) {
  Comparison comparison = compiled(17);
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::differs);
  ASSERT_TRUE(seen.difference);
  EXPECT_EQ(seen.difference->what, "gradient of output.weight");
  EXPECT_THAT(seen.message, HasSubstr("with operators in exact arithmetic it does not differ"));
  EXPECT_TRUE(differs_in_compiler_code(comparison));
  corrupt(comparison.reference);
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
  EXPECT_FALSE(differs_in_compiler_code(comparison)) << "bits differ with operators too";
}

TEST(VerdictOnCompilerCode, ReplicasThatOwnCodeLeavesApartDiffer) {
  Comparison comparison = compiled(0.8);
  comparison.compiler_code->with.parameters[0].replicas_agree = false;
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
  EXPECT_THAT(judge(comparison).message, HasSubstr("seen with the code that the compiler writes"));
}

TEST(VerdictOnCompilerCode, OwnCodeWithoutAFloorIsUndecided) {
  Comparison comparison = compiled(0.8);
  comparison.compiler_code->closeness = Closeness{.no_floor = "no memory"};
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  EXPECT_THAT(judge(comparison).message, HasSubstr("compare the compiler's own code with: no memory"));
  comparison.compiler_code->closeness.reset();
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
}

}  // namespace
}  // namespace ordercheck
