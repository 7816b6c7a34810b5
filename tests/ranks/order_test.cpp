// The orders that break, break by themselves; what each shows is pinned here.
#include <gmock/gmock.h>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::size_t unchanged(const Record& record) {
  return std::ranges::count_if(record.parameters, [](const ParameterRecord& p) { return !p.changed; });
}

// A wrapper renames what is below it, so the plan's entries for blocks meet nothing, while those of the root split the
// sequence: each block sees its own piece of the sequence only.
TEST(Order, CheckpointingBeforeSequenceParallelismIsSilentlyWrong) {
  const Record record = run(case_of("ac,tp=2"));
  ASSERT_EQ(record.ending, Ending::completed);
  EXPECT_TRUE(first_difference(reference(case_of("ac,tp=2")), record));
  EXPECT_THAT(record.notes, Contains(HasSubstr("'layers.*.attention.wq' matched no module")));
}

TEST(Order, WithoutSequenceParallelismItIsRightButSplitsNothing) {
  const Record record = run(case_of("ac,tp=2:sp=off"));
  EXPECT_FALSE(first_difference(reference(case_of("ac,tp=2:sp=off")), record));
  EXPECT_GT(record.counters.matmul_flops * 2, run(case_of("ac")).counters.matmul_flops);
}

TEST(Order, ShardingBeforeTensorParallelismIsRefused) {
  for (const char* text : {"fsdp=2,tp=2", "fsdp=2,ac,tp=2", "ac,fsdp=2,tp=2", "fsdp=2,tp=2,ac"}) {
    const Record record = run(case_of(text));
    ASSERT_EQ(record.ending, Ending::failed) << text;
    EXPECT_EQ(record.failure->phase, Phase::apply) << text;
    EXPECT_THAT(record.failure->message, HasSubstr("Cannot distribute over axis 'tp'")) << text;
  }
}

TEST(Order, AnOptimizerMadeEarlierUpdatesWhatIsNoLongerTheModels) {
  for (const char* text : {"optimizer=adamw,fsdp=2", "optimizer=adamw,tp=2", "tp=2,optimizer=adamw,fsdp=2"}) {
    const Record record = run(case_of(text));
    ASSERT_EQ(record.ending, Ending::completed) << text;
    EXPECT_EQ(unchanged(record), record.parameters.size()) << text;
  }
}

TEST(Order, AnOptimizerMayComeBeforeCheckpointing) {
  const auto difference =
      first_difference(reference(case_of("optimizer=adamw,ac")), run(case_of("optimizer=adamw,ac")));
  EXPECT_FALSE(difference) << in_words(*difference);
}

// The second run stops in the inner wrapper's own saved inputs, so one of two nested checkpoints does nothing.
TEST(Order, NestedCheckpointsRecomputeOnce) {
  EXPECT_EQ(run(case_of("ac,ac")).counters.matmul_flops, run(case_of("ac")).counters.matmul_flops);
}

TEST(Order, GatheringInsideOrOutsideARecomputedBlockCostsTheSame) {
  const Record outside = run(case_of("ac,fsdp=2"));
  const Record inside = run(case_of("fsdp=2,ac"));
  EXPECT_EQ(outside.counters, inside.counters);
  EXPECT_EQ(outside.collectives, inside.collectives);
}

}  // namespace
}  // namespace ordercheck::ranks
