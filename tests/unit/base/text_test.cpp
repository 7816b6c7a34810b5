#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::ElementsAre;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
}

TEST(Trim, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Join, PutsTheSeparatorBetweenOnly) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(ParseInteger, TakesAWholeNumberAndNothingElse) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-17"), -17);
  EXPECT_EQ(parse_integer("9223372036854775807"), 9223372036854775807);
  for (const char* bad : {"", "-", "1 ", " 1", "1.0", "0x10", "9223372036854775808", "twelve", "+1"})
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
}

TEST(Nearest, FindsASlipOfTheFinger) {
  const std::vector<std::string> names{"tp", "fsdp", "hsdp", "compile"};
  EXPECT_EQ(nearest("fsdb", names), "fsdp");
  EXPECT_EQ(nearest("fdsp", names), "fsdp") << "two neighbours swapped are one slip";
  EXPECT_EQ(nearest("compiel", names), "compile");
  EXPECT_EQ(nearest("tpp", names), "tp");
  EXPECT_EQ(nearest("fsdp", names), "fsdp");
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  const std::vector<std::string> names{"tp", "fsdp"};
  EXPECT_EQ(nearest("xy", names), std::nullopt);
  EXPECT_EQ(nearest("shard", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("fsdp", {}), std::nullopt);
}

TEST(Nearest, GivesTiesToTheEarlierCandidate) {
  EXPECT_EQ(nearest("xp", {"tp", "pp"}), "tp");
  EXPECT_EQ(nearest("xp", {"pp", "tp"}), "pp");
}

TEST(GlobMatch, StarMatchesAnyRun) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("layers.*.attention", "layers.0.attention"));
  EXPECT_TRUE(glob_match("a*b*c", "a-b-b-c"));
  EXPECT_TRUE(glob_match("a**", "a"));
  EXPECT_TRUE(glob_match("", ""));
}

TEST(GlobMatch, EverythingElseMatchesItself) {
  EXPECT_FALSE(glob_match("a*b", "a-b-c"));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_FALSE(glob_match("a?c", "abc"));
  EXPECT_FALSE(glob_match("abc", "ab"));
  EXPECT_TRUE(glob_match("a?c", "a?c"));
}

TEST(OneLine, WritesControlCharacters) {
  EXPECT_EQ(one_line("a\nb\tc\x01\x7f\xc3\xa9"), "a\\nb\\tc\\x01\\x7f\xc3\xa9");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace ordercheck
