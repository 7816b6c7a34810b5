// What a rank does wrong is seen, and told with rank, module and operation.
#include <gmock/gmock.h>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

TEST(Fault, ARankThatThrowsIsNamedWithItsModule) {
  const Record record = run(case_of("tp=2,fsdp=2"), Fault{.kind = "throw", .rank = 2, .module = "layers.1.attention"});
  ASSERT_EQ(record.ending, Ending::failed);
  EXPECT_EQ(record.failure->rank, 2);
  EXPECT_EQ(record.failure->module, "layers.1.attention");
  EXPECT_EQ(record.failure->phase, Phase::forward);
}

TEST(Fault, AThrowInARecomputationIsToldAsSuch) {
  const Record record =
      run(case_of("ac,fsdp=2"), Fault{.kind = "throw", .rank = 1, .module = "layers.0.attention", .phase = Phase::recompute});
  ASSERT_EQ(record.ending, Ending::failed);
  EXPECT_EQ(record.failure->rank, 1);
  EXPECT_EQ(record.failure->phase, Phase::recompute);
}

TEST(Fault, AnOrdinaryThrowInsideAModuleNamesTheModule) {
  const Record record = run(case_of("tp=5"));  // the sequence of 24 is not divisible by 5
  ASSERT_EQ(record.ending, Ending::failed);
  EXPECT_EQ(record.failure->module, "tok_embeddings");
}

TEST(Fault, ASkippedCollectiveIsFoundWithoutAClock) {
  const Record record = run(case_of("tp=2"), Fault{.kind = "skip_collective", .rank = 1, .sequence = 3});
  ASSERT_TRUE(record.ending == Ending::failed || record.ending == Ending::deadlocked);
  EXPECT_NE(record.failure->operation, "");
  EXPECT_EQ(record.failure->group, "tp");
  EXPECT_NE(record.failure->module, "");
}

// A rank that throws while it captures has sent nothing; the others wait for it in their replay.
TEST(Fault, ARankThatThrowsInACaptureIsNamedWithItsModule) {
  const Record record = run(case_of("tp=2,compile,fsdp=2"), Fault{.kind = "throw", .rank = 2, .module = "layers.1.attention"});
  ASSERT_EQ(record.ending, Ending::failed);
  EXPECT_EQ(record.failure->rank, 2);
  EXPECT_EQ(record.failure->module, "layers.1.attention");
  EXPECT_EQ(record.failure->phase, Phase::forward);
}

TEST(Fault, ASkippedBucketIsFound) {
  const Record record = run(case_of("ddp=2:bucket_kib=64"), Fault{.kind = "skip_collective", .rank = 1, .sequence = 14});
  ASSERT_TRUE(record.ending == Ending::failed || record.ending == Ending::deadlocked);
  EXPECT_EQ(record.failure->group, "dp_replicate");
  EXPECT_EQ(record.failure->phase, Phase::backward);
}

TEST(Fault, AnotherShapeIsFoundWhereItIsHandedIn) {
  const Record record = run(case_of("fsdp=2"), Fault{.kind = "wrong_shape", .rank = 1, .sequence = 2});
  ASSERT_EQ(record.ending, Ending::failed);
  EXPECT_THAT(record.failure->message, HasSubstr("all_gather"));
  EXPECT_EQ(record.failure->group, "dp_shard");
}

}  // namespace
}  // namespace ordercheck::ranks
