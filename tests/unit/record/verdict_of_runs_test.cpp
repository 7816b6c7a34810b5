#include "record/verdict_of_runs.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/record/sound_comparison.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(Judge, EqualWhenEverythingOwedIsThere) {
  const auto seen = judge(sound());
  EXPECT_EQ(seen.verdict, Verdict::equal);
  ASSERT_EQ(seen.effects.size(), 1u);
  EXPECT_TRUE(seen.effects[0].present);
}

// Exact arithmetic keeps inductor from running the code that it writes: what that shows comes from runs of its own.
TEST(Judge, ReadsEffectsOffTheRunsThatShowThem) {
  Comparison comparison = sound();
  Record shown = comparison.first;
  shown.counters.matmul_flops = 960;
  shown.collectives.clear();
  comparison.compiler_code = CompilerCode{.with = shown, .twins = {sample_record(1)}, .closeness = Closeness{}};
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::ignored);
  EXPECT_EQ(seen.counters.matmul_flops, 960);
  EXPECT_TRUE(seen.collectives.empty());
  EXPECT_EQ(seen.digest, judge(sound()).digest);
}

TEST(Judge, EndingsThatDidNotComplete) {
  const std::vector<std::pair<Ending, Verdict>> expected{
      {Ending::failed, Verdict::fails},     {Ending::died, Verdict::fails},      {Ending::garbled, Verdict::fails},
      {Ending::deadlocked, Verdict::hangs}, {Ending::timed_out, Verdict::hangs}, {Ending::unsupported, Verdict::unrun},
      {Ending::killed, Verdict::unrun},     {Ending::unstarted, Verdict::unrun}};
  for (const auto& [ending, verdict] : expected) {
    Comparison comparison = sound();
    comparison.first = sample_failure(ending, Phase::apply, "mixed tensors");
    comparison.again.reset();
    const auto seen = judge(comparison);
    EXPECT_EQ(seen.verdict, verdict) << name_of(ending);
    EXPECT_EQ(seen.phase, Phase::apply);
    EXPECT_THAT(seen.message, HasSubstr("mixed tensors"));
  }
  Comparison comparison = sound();
  comparison.first = sample_failure(Ending::out_of_range, Phase::forward, "sum too large");
  comparison.reference.reset();
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  EXPECT_THAT(judge(comparison).message, HasSubstr("(range)"));
}

TEST(Judge, UnlikeItselfIsUnstableAndComparedWithNothing) {
  Comparison comparison = sound();
  corrupt(comparison.again);
  corrupt(comparison.reference);
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::unstable);
  EXPECT_THAT(seen.message, HasSubstr("the second run"));
  comparison = sound();
  comparison.again = sample_failure(Ending::deadlocked, Phase::forward, "waits");
  EXPECT_EQ(judge(comparison).verdict, Verdict::unstable);
}

TEST(Judge, WithoutASecondRunOrAReferenceNothingIsDecided) {
  Comparison comparison = sound();
  comparison.again.reset();
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  comparison = sound();
  comparison.reference.reset();
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  comparison.reference = sample_failure(Ending::failed, Phase::build, "no memory");
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
}

TEST(Judge, UnlikeOneRankDiffers) {
  Comparison comparison = sound();
  corrupt(comparison.reference);
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::differs);
  ASSERT_TRUE(seen.difference);
  EXPECT_EQ(seen.difference->what, "gradient of layers.0.attention.wq.weight");
  EXPECT_THAT(seen.message, HasSubstr("(1 of 3 gradients, 0 of 3 parameters differ)"));
}

TEST(Judge, WhereLayoutsOweNothingOnlyTheRecommendedOrderCounts) {
  Comparison comparison = sound();
  corrupt(comparison.reference);
  comparison.first.parity_owed = comparison.again->parity_owed = false;
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun) << "to repeat oneself is not to be right";
  comparison.recommended = comparison.first;
  EXPECT_EQ(judge(comparison).verdict, Verdict::equal);
  corrupt(comparison.recommended);
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
}

Held held(double distance) { return {.away = {.name = "output.weight", .error = distance, .size = 1}, .floor = 1e-6}; }

Comparison sound_native() {
  Comparison comparison = sound();
  corrupt(comparison.reference);  // no bit of it is owed
  comparison.subject.settings.arithmetic = Arithmetic::float32;
  comparison.closeness = Closeness{.farthest = {held(1e-6)}, .gradients = 3};
  return comparison;
}

TEST(Judge, InNativeArithmeticWhatRoundingExplainsIsCloseAndNeverEqual) {
  Comparison comparison = sound_native();
  EXPECT_EQ(judge(comparison).verdict, Verdict::close);
  comparison.recommended = comparison.first;
  EXPECT_EQ(judge(comparison).verdict, Verdict::close);
  corrupt(comparison.recommended);
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs) << "the same mesh owes the same bits";
}

TEST(Judge, InNativeArithmeticFarFromOneRankDiffers) {
  Comparison comparison = sound_native();
  comparison.closeness->beyond = {held(0.5)};
  const Observation seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::differs);
  EXPECT_EQ(seen.message,
            "gradient of output.weight in step 0 is 0.5 from a float64 single-rank run; rounding explains 1.0e-06 (1 of 3 "
            "gradients are more than 16 times the noise floor away)");
  ASSERT_TRUE(seen.difference);
  EXPECT_EQ(seen.difference->what, "gradient of output.weight");
}

TEST(Judge, InNativeArithmeticNothingIsDecidedWithoutANoiseFloor) {
  Comparison comparison = sound_native();
  comparison.closeness = Closeness{.no_floor = "the float64 single-rank run failed"};
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  EXPECT_THAT(judge(comparison).message, HasSubstr("no noise floor to compare it with: the float64 single-rank run failed"));
  comparison.closeness.reset();
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
}

TEST(Judge, InNativeArithmeticAnAbsentEffectIsIgnored) {
  Comparison comparison = sound_native();
  comparison.first.collectives.clear();
  comparison.again->collectives.clear();
  EXPECT_EQ(judge(comparison).verdict, Verdict::ignored);
  EXPECT_THAT(judge(comparison).message,
              HasSubstr("close to the single-rank reference, but fsdp=2 has only a part of its effect"));
}

Record left_its_range(int ranks) {
  Record record = sample_failure(Ending::out_of_range, Phase::forward, "sum too large");
  record.world_size = ranks;
  return record;
}

TEST(Judge, ARangeExitThatOneRankCouldNotHaveIsADifference) {
  Comparison comparison = sound();
  comparison.first = left_its_range(4);
  comparison.again.reset();
  comparison.reference->range_used = 0.2;
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::differs);
  EXPECT_THAT(seen.message,
              testing::AllOf(HasSubstr("sum too large"), HasSubstr("the single-rank reference uses 20.0% of the range")));
  comparison.reference->range_used = 0.3;  // four times that is out of range, though every sum may be right
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  comparison.reference->range_used = 0.2;
  comparison.reference->steps[1].loss[0] = bits_of(std::nan(""));
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  comparison.reference = left_its_range(1);
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  comparison.reference.reset();
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
}

void put(Record& record, double loss) {
  for (Bits64& bits : record.steps[1].loss) bits = bits_of(loss);
}

TEST(Judge, ANumberThatIsNoneWhereOneRankHasOneDiffers) {
  for (const double none : {std::nan(""), HUGE_VAL}) {
    Comparison comparison = sound();
    put(comparison.first, none);
    put(*comparison.again, none);
    const auto seen = judge(comparison);
    EXPECT_EQ(seen.verdict, Verdict::differs);
    ASSERT_TRUE(seen.difference);
    EXPECT_EQ(seen.difference->what, "loss");
    EXPECT_EQ(seen.difference->step, 1);
    comparison.subject.settings.arithmetic = Arithmetic::float32;  // where a layout need not be bitwise equal
    EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
    put(*comparison.again, 3.5);
    EXPECT_EQ(judge(comparison).verdict, Verdict::unstable);
  }
}

TEST(Judge, NaNsOfMemoryThatNobodyWroteAreNotUnstable) {
  Comparison comparison = sound();
  put(comparison.first, std::nan("1"));
  put(*comparison.again, std::nan("2"));
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
}

TEST(Judge, OfAReferenceThatIsNotFiniteNothingIsConcluded) {
  for (const auto arithmetic : {Arithmetic::exact, Arithmetic::plain, Arithmetic::float32}) {
    Comparison comparison = sound();
    comparison.subject.settings.arithmetic = arithmetic;
    put(*comparison.reference, std::nan(""));
    EXPECT_EQ(judge(comparison).verdict, Verdict::unrun) << name_of(arithmetic);
    put(comparison.first, std::nan(""));
    put(*comparison.again, std::nan(""));
    EXPECT_EQ(judge(comparison).verdict, Verdict::unrun) << "the same bits, and equal to nothing";
    comparison.reference.reset();
    EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  }
}

TEST(Judge, ARecommendedOrderThatDidNotCompleteVouchesForNothing) {
  Comparison comparison = sound();
  comparison.first.parity_owed = comparison.again->parity_owed = false;
  comparison.recommended = sample_failure(Ending::failed, Phase::apply, "refused");
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
}

TEST(Judge, ABrokenRecommendedOrderIsNoFaultOfACaseThatHasTheBitsOfOneRank) {
  Comparison comparison = sound();
  comparison.recommended = comparison.first;
  corrupt(comparison.recommended);
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::equal);
  EXPECT_THAT(seen.message, HasSubstr("but not to the recommended order"));
}

TEST(Judge, PlainArithmeticIsHeldAgainstOneRankAlthoughItOwesNothing) {
  Comparison comparison = sound();
  corrupt(comparison.reference);
  comparison.subject.settings.arithmetic = Arithmetic::plain;
  comparison.first.parity_owed = comparison.again->parity_owed = false;
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
}

TEST(Judge, ReplicasThatDriftApartDiffer) {
  Comparison comparison = sound();
  comparison.first.parameters[2].replicas_agree = comparison.again->parameters[2].replicas_agree = false;
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::differs);
  EXPECT_THAT(seen.message, HasSubstr("output.weight"));
}

TEST(Judge, AParameterThatNeverChangedIsIgnored) {
  Comparison comparison = sound();
  comparison.first.parameters[0].changed = comparison.again->parameters[0].changed = false;
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::ignored);
  EXPECT_THAT(seen.message, HasSubstr("1 of 3 parameters never changed: tok_embeddings.weight"));
}

// The total norm of an optimizer leaves out a parameter that it does not have, and is the first to differ.
TEST(Judge, ADifferenceNamesTheParametersThatNeverChanged) {
  Comparison comparison = sound();
  for (Record* record : {&comparison.first, &*comparison.again}) {
    record->steps[0].gradient_norm[0].bits ^= 1;
    record->parameters[2].changed = false;
  }
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::differs);
  EXPECT_THAT(seen.message, testing::StartsWith("gradient norm of step 0"));
  EXPECT_THAT(seen.message, testing::EndsWith("; 1 of 3 parameters never changed: output.weight"));
  for (Record* record : {&comparison.first, &*comparison.again}) record->parameters[2].changed = true;
  EXPECT_THAT(judge(comparison).message, testing::Not(HasSubstr("never changed")));
}

TEST(Judge, OfManyParametersThatNeverChangedThreeAreNamed) {
  Comparison comparison = sound();
  for (Record* record : {&comparison.first, &*comparison.again, &*comparison.reference})
    record->parameters.insert(record->parameters.end(), 2, record->parameters[2]);
  for (Record* record : {&comparison.first, &*comparison.again})
    for (ParameterRecord& parameter : record->parameters) parameter.changed = false;
  EXPECT_THAT(judge(comparison).message, HasSubstr("5 of 5 parameters never changed: tok_embeddings.weight, "
                                                   "layers.0.attention.wq.weight, output.weight and 2 more"));
}

// As the base under an adapter: frozen, or reached by no gradient.
TEST(Judge, AParameterThatOneRankLeavesAsItWasTooIsNoLoss) {
  Comparison comparison = sound();
  for (Record* record : {&comparison.first, &*comparison.again, &*comparison.reference}) {
    record->parameters[0].changed = false;
    record->parameters[0].frozen = true;
  }
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::equal);
  EXPECT_THAT(seen.message, testing::Not(HasSubstr("in no step"))) << "a frozen one is asked for no gradient";
}

TEST(Judge, AFrozenParameterIsNoLossWhereNoReferenceCompleted) {
  Comparison comparison = sound();
  comparison.first.parity_owed = comparison.again->parity_owed = false;
  comparison.recommended = comparison.first;
  comparison.reference.reset();
  comparison.first.parameters[0].changed = comparison.again->parameters[0].changed = false;
  comparison.recommended->parameters[0].changed = false;
  EXPECT_EQ(judge(comparison).verdict, Verdict::ignored);
  comparison.first.parameters[0].frozen = true;
  EXPECT_NE(judge(comparison).verdict, Verdict::ignored);
}

TEST(Judge, WhatNoGradientReachesIsNamed) {
  Comparison comparison = sound();
  comparison.reference->parameters[1].has_gradient = false;
  auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::equal);
  EXPECT_THAT(seen.message, HasSubstr("; in no step does a gradient other than zero reach layers.0.attention.wq.weight, so "
                                      "nothing is known of it"));
  comparison.reference->parameters[2].has_gradient = false;
  EXPECT_THAT(judge(comparison).message, HasSubstr("wq.weight and 1 more, so nothing is known of them"));
}

TEST(Judge, WhereNothingFlowsNothingIsShown) {
  Comparison comparison = sound();
  for (ParameterRecord& p : comparison.reference->parameters) p.has_gradient = false;
  auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::unrun);
  EXPECT_THAT(seen.message, HasSubstr("no parameter has a gradient other than zero in any step"));
  comparison.reference->parameters[0].has_gradient = comparison.reference->parameters[0].frozen = true;
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
}

void put_buffer(Comparison& comparison, const BufferRecord& buffer) {
  for (Record* record : {&comparison.first, &*comparison.again, &*comparison.reference}) record->buffers = {buffer};
}

TEST(Judge, ABufferIsHeldAgainstOneRank) {
  Comparison comparison = sound();
  put_buffer(comparison, {.name = "mean", .shape = {4}, .value = hash_of("one")});
  EXPECT_EQ(judge(comparison).verdict, Verdict::equal);
  comparison.reference->buffers[0].value = hash_of("other");
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
  EXPECT_THAT(judge(comparison).message, HasSubstr("buffer mean"));
  comparison.first.buffers[0].local = comparison.again->buffers[0].local = true;
  EXPECT_EQ(judge(comparison).verdict, Verdict::equal) << "meant to be of its rank";
  comparison.reference->buffers.clear();
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
}

TEST(Judge, BuffersThatRanksHaveApartDiffer) {
  Comparison comparison = sound();
  put_buffer(comparison, {.name = "mean", .shape = {4}, .value = hash_of("one"), .replicas_agree = false});
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
  EXPECT_THAT(judge(comparison).message, HasSubstr("the buffer mean do not; if that is intended, set local_buffers"));
  put_buffer(comparison, {.name = "mean", .shape = {4}, .local = true, .replicas_agree = false});
  EXPECT_EQ(judge(comparison).verdict, Verdict::equal);
}

TEST(Judge, AnAbsentEffectIsIgnoredOnlyWhenEveryBitIsThere) {
  Comparison comparison = sound();
  comparison.first.collectives.clear();
  comparison.again->collectives.clear();
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::ignored);
  EXPECT_THAT(seen.message, HasSubstr("but fsdp=2 has only a part of its effect: 0 all_gather on dp_shard in forward"));
  corrupt(comparison.reference);
  EXPECT_EQ(judge(comparison).verdict, Verdict::differs);
}

// Without its recomputation tp's share of the work is off too.
TEST(Judge, TheTransformThatShowsNothingIsNamedBeforeOneThatShowsAPart) {
  Comparison comparison = sound();
  comparison.subject.stack = *parse_stack("fsdp=2,ac");
  comparison.first.counters.matmul_flops = 100;
  comparison.again = comparison.first;
  comparison.twins = {sample_record(1), comparison.first};
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::ignored);
  EXPECT_TRUE(seen.effects[0].partly);
  EXPECT_THAT(seen.message, HasSubstr("but ac has no effect"));
}

TEST(Judge, ATransformWithoutAStatedEffectIsNeverIgnored) {
  Comparison comparison = sound();
  comparison.subject.stack = *parse_stack("quantize=fp8");
  const auto seen = judge(comparison);
  EXPECT_EQ(seen.verdict, Verdict::equal);
  EXPECT_FALSE(seen.effects[0].defined);
}

}  // namespace
}  // namespace ordercheck
