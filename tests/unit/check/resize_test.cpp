#include "check/resize.h"

#include <gmock/gmock.h>

#include "unit/check/small_rules.h"

namespace ordercheck {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// What is tried against a page about these sizes, on 8 ranks and for 64 heads of which 8 are of keys and values.
std::vector<std::string> sizes_for(const char* item, const char* when, const char* text) {
  const std::vector<Rule> rules{rule({"FIT-001", RuleKind::fits, item, "", Harm::fails, when})};
  const std::vector<Observation> nothing;
  const Judge judge(rules, {.project = "pytorch", .implementation = "", .version = Version{{2, 11}}}, nothing,
                    Job(8, {{"heads", 64}, {"kv_heads", 8}}));
  const Stack made = stack(text);
  const std::vector<Fired> fired = fired_on(made, judge);
  std::vector<std::string> texts;
  if (!fired.empty())
    for (const Stack& one : resized(fired.front(), made, judge)) texts.push_back(print(one));
  return texts;
}

TEST(Resizing, FindsTheNearestHoweverFar) {
  EXPECT_THAT(sizes_for("tp", "kv_heads % tp != 0", "tp=64"), ElementsAre("tp=8", "tp=4", "tp=2", "tp=1"));
  EXPECT_EQ(sizes_for("", "world > ranks", "fsdp=100000").front(), "fsdp=8");
}

TEST(Resizing, ChangesTwoNumbersWhereNoOneWillDo) {
  EXPECT_THAT(sizes_for("", "ranks % world != 0", "tp=3,fsdp=3"), Contains("tp=2,fsdp=2"));
  EXPECT_EQ(sizes_for("", "ranks % world != 0", "hsdp=3x5").front(), "hsdp=2x4");
  EXPECT_EQ(sizes_for("", "ranks % world != 0", "tp=2,fsdp=3").front(), "tp=2,fsdp=2") << "here one will do";
}

TEST(Resizing, LeavesItemsThatThePageIsNotAbout) {
  for (const std::string& text : sizes_for("tp", "kv_heads % tp != 0", "tp=3,fsdp=3"))
    EXPECT_TRUE(text.ends_with(",fsdp=3")) << text;
}

TEST(Resizing, MakesMoreMicrobatchesBeforeFewer) {
  EXPECT_EQ(sizes_for("pp", "microbatches < pp", "pp=4:microbatches=3").front(), "pp=4:microbatches=4");
}

TEST(Resizing, FindsNothingWhereNoSizeWillDo) { EXPECT_THAT(sizes_for("tp", "tp > 0", "tp=2"), IsEmpty()); }

}  // namespace
}  // namespace ordercheck
