#include "rules/holds.h"

#include <gmock/gmock.h>

namespace ordercheck {
namespace {

using testing::HasSubstr;

Version version(const char* text) { return *parse_version(text); }
Target target(const char* text) { return *parse_target(text); }

TEST(Versions, MissingPartsAreZeroAndBuildsDoNotCount) {
  EXPECT_EQ(version("2.11"), version("2.11.0"));
  EXPECT_EQ(version("2.11.0+cpu"), version("2.11"));
  EXPECT_EQ(version("2.15.0a0+git1f2e"), version("2.15"));
  EXPECT_LT(version("2.9"), version("2.11"));
  EXPECT_GT(version("2.11.1"), version("2.11"));
}

TEST(Versions, NonsenseIsRefused) {
  for (const char* text : {"", "a", "2.", "-1", "2,1", "v2", "99999999999999999999"}) EXPECT_FALSE(parse_version(text)) << text;
}

TEST(HoldsEntry, PrintsAsItWasRead) {
  for (const char* text :
       {"math", "pytorch>=2.6", "pytorch>=2.6,<2.12", "pytorch-fsdp1<2.6", "native==1", "torchtitan>0.2.2"}) {
    const Result<Holds> holds = parse_holds(text);
    ASSERT_TRUE(holds) << holds.error().message;
    EXPECT_EQ(print(*holds), text);
  }
}

TEST(HoldsEntry, MistakesAreTold) {
  EXPECT_THAT(parse_holds("pytorch").error().message, HasSubstr("names no version"));
  EXPECT_THAT(parse_holds("math>=1").error().message, HasSubstr("mathematics has no versions"));
  EXPECT_THAT(parse_holds(">=2").error().message, HasSubstr("names no project"));
  EXPECT_THAT(parse_holds("pytorch>=2.6,2.12").error().message, HasSubstr("is no bound"));
  EXPECT_THAT(parse_holds("pytorch>=two").error().message, HasSubstr("is no version"));
}

TEST(HoldsFor, BoundsAreAllMet) {
  const Holds holds = *parse_holds("pytorch>=2.6,<2.12");
  EXPECT_TRUE(holds_for(holds, target("pytorch-2.6")));
  EXPECT_TRUE(holds_for(holds, target("pytorch-2.11.9")));
  EXPECT_FALSE(holds_for(holds, target("pytorch-2.12")));
  EXPECT_FALSE(holds_for(holds, target("pytorch-2.5")));
  EXPECT_FALSE(holds_for(holds, target("native-2.6")));
  EXPECT_FALSE(holds_for(holds, target("pytorch"))) << "a version that is not settled meets nothing";
}

TEST(HoldsFor, AnImplementationIsAnotherThing) {
  EXPECT_FALSE(holds_for(*parse_holds("pytorch-fsdp1>=1"), target("pytorch-2.11")));
  EXPECT_TRUE(holds_for(*parse_holds("pytorch-fsdp1>=1"), target("pytorch-fsdp1-2.11")));
}

TEST(HoldsFor, MathematicsHoldsForEverybody) { EXPECT_TRUE(holds_for(*parse_holds("math"), target("native-1"))); }

TEST(EndedBefore, LooksAtUpperBounds) {
  EXPECT_TRUE(ended_before(*parse_holds("pytorch>=2.6,<2.12"), version("2.12")));
  EXPECT_FALSE(ended_before(*parse_holds("pytorch>=2.6,<2.12"), version("2.11")));
  EXPECT_TRUE(ended_before(*parse_holds("torchtitan<=0.2.2"), version("0.2.3")));
  EXPECT_FALSE(ended_before(*parse_holds("pytorch>=2.6"), version("9")));
}

TEST(Targets, AreProjectImplementationVersion) {
  EXPECT_EQ(print(target("pytorch-2.11")), "pytorch 2.11");
  EXPECT_EQ(print(target("pytorch-fsdp1-2.4")), "pytorch-fsdp1 2.4");
  EXPECT_EQ(print(target("native")), "native");
  EXPECT_FALSE(parse_target("2.11"));
  EXPECT_FALSE(parse_target(""));
  EXPECT_FALSE(parse_target("PyTorch"));
}

}  // namespace
}  // namespace ordercheck
