#include "record/verdict.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/record/sample_record.h"
#include "unit/record/sound_comparison.h"

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

std::string words(double owed, double got) {
  return in_words({.what = "loss", .step = 0, .rank = 1, .expected = hex(bits_of(owed)), .got = hex(bits_of(got))},
                  "the single-rank reference");
}

TEST(DifferenceInWords, NumbersAreDecimalsAndTheirDistance) {
  EXPECT_EQ(words(5.15664, 5.13958),
            "loss of step 0 on rank 1 is 5.13958, the single-rank reference has 5.15664, 0.0171 apart");
  EXPECT_EQ(words(1, std::nextafter(1, 2)),
            "loss of step 0 on rank 1 is 1.0000000000000002, the single-rank reference has 1, 2.22e-16 apart");
  EXPECT_EQ(words(1, NAN), "loss of step 0 on rank 1 is nan, the single-rank reference has 1");
  EXPECT_EQ(words(0, -0.0), "loss of step 0 on rank 1 is -0, the single-rank reference has 0, 0 apart");
}

TEST(NumbersOf, AreThoseOfTheSentence) {
  const auto of = [](double owed, double got) {
    return numbers_of({.what = "loss", .rank = 0, .expected = hex(bits_of(owed)), .got = hex(bits_of(got))});
  };
  const auto numbers = of(5.15664, 5.13958);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->expected, "5.15664");
  EXPECT_EQ(numbers->got, "5.13958");
  EXPECT_EQ(numbers->apart, "0.0171");
  EXPECT_EQ(of(1, NAN)->apart, "") << "no number is that far from one";
}

TEST(DifferenceInWords, HashesAreNotTold) {
  Record got = sample_record();
  got.parameters[2].gradient[0].words[0] ^= 1;
  const auto difference = first_difference(sample_record(), got);
  EXPECT_EQ(in_words(*difference, "the single-rank reference"),
            "gradient of output.weight of step 0 is not that of the single-rank reference");
  EXPECT_FALSE(numbers_of(*difference));
  EXPECT_EQ(difference->got.size(), 32u) << "they are there for JSON";
}

TEST(DifferenceInWords, OutlinesAreToldAsTheyAre) {
  EXPECT_EQ(in_words({.what = "number of parameters", .expected = "3", .got = "2"}, "the single-rank reference"),
            "number of parameters of step 0 is 2, the single-rank reference has 3");
}

TEST(EndingInWords, NamesItsPlace) {
  Record record = sample_failure(Ending::failed, Phase::backward, "ranks disagree");
  record.failure = Failure{.phase = Phase::backward,
                           .rank = 1,
                           .module = "layers.0",
                           .operation = "all_gather",
                           .group = "tp",
                           .sequence = 7,
                           .message = "ranks disagree",
                           .ranks = {}};
  EXPECT_EQ(ending_in_words(record), "failed (backward, layers.0, in all_gather on tp #7, rank 1): ranks disagree");
}

}  // namespace
}  // namespace ordercheck
