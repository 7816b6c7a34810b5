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

TEST(DidYouMean, NamesTheNearestOrAll) {
  EXPECT_EQ(did_you_mean("fdsp", {"tp", "fsdp"}), "did you mean 'fsdp'?");
  EXPECT_EQ(did_you_mean("nothing", {"tp", "fsdp"}), "known: tp, fsdp");
  EXPECT_EQ(did_you_mean("nothing", {"tp", "fsdp"}, "it takes: "), "it takes: tp, fsdp");
}

TEST(Contains, LooksForOneAmongSeveral) {
  EXPECT_TRUE(contains(std::vector<std::string>{"tp", "ac"}, "ac"));
  EXPECT_FALSE(contains(std::vector<int>{}, 1));
}

TEST(Lower, FoldsAsciiAlone) { EXPECT_EQ(lower("FSDP2_\xc3\x89"), "fsdp2_\xc3\x89"); }

TEST(IsDate, TakesAYearAMonthOrADayThatThereIs) {
  for (const char* date : {"2025", "2025-08", "2025-08-13", "2025-12-31", "2024-02-29"}) EXPECT_TRUE(is_date(date)) << date;
  for (const char* none : {"", "25", "2025-13", "2025-00-10", "2025-08-32", "2026-02-31", "2025-02-29", "2025/08/13",
                           "13.8.2025", "2025-8-13", "unknown"})
    EXPECT_FALSE(is_date(none)) << none;
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
