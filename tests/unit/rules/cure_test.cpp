#include "rules/cure.h"

#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> edits(const char* left, const char* right) { return program_edits(stack(left), stack(right)); }

TEST(EditsInPytorch, AnOptionThatIsGiven) {
  EXPECT_THAT(edits("tp=2,compile,fsdp=2", "tp=2:plan=blocks,compile,fsdp=2"),
              ElementsAre(HasSubstr("out of the plan of parallelize_module")));
  EXPECT_THAT(edits("pp=4:1f1b:microbatches=2", "pp=4:1f1b:microbatches=4"), ElementsAre(HasSubstr("n_microbatches")));
}

TEST(EditsInPytorch, AnOptionThatIsTakenAway) {
  EXPECT_THAT(edits("ac:reentrant", "ac"), ElementsAre(HasSubstr("use_reentrant=False")));
  EXPECT_THAT(edits("ac", "ac:reentrant"), IsEmpty());
}

TEST(EditsInPytorch, AnotherScope) {
  EXPECT_THAT(edits("ac,compile@model", "ac,compile"), ElementsAre("call compile on each block, not on the model"));
  EXPECT_THAT(edits("ac,compile", "ac,compile@model"), ElementsAre("call compile on the model, not on its blocks"));
}

TEST(EditsInPytorch, ATransformInThePlaceOfTwo) {
  EXPECT_THAT(edits("fsdp=2,ddp=2", "hsdp=2x2"), ElementsAre(HasSubstr("(dp_replicate, dp_shard)")));
}

TEST(EditsInPytorch, AnotherOrderAsksForNone) {
  EXPECT_THAT(edits("fsdp=2,tp=2", "tp=2,fsdp=2"), IsEmpty());
  EXPECT_THAT(edits("tp=2", "tp=4"), IsEmpty());
}

}  // namespace
}  // namespace ordercheck
