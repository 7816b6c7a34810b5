#include "report/pages/markdown.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(Markdown, FencesCodeByMoreBackticksThanItHolds) {
  EXPECT_EQ(code("a"), "`a`");
  EXPECT_EQ(code("a`b"), "``a`b``");
  EXPECT_EQ(code("`a"), "`` `a ``");
  EXPECT_EQ(code(""), "");
}

TEST(Markdown, BreaksWhatIsTooLongForACell) {
  EXPECT_EQ(breakable_code("tp=2,fsdp=2"), "`tp=2,fsdp=2`");
  EXPECT_EQ(breakable_code("tp=2,ddp=2:device_mesh,optimizer=adamw"),
            "<code>tp=2,ddp=2:device_mesh,<wbr>optimizer=adamw</code>");
  EXPECT_EQ(breakable_code("pp=2,optimizer=adamw:clip=per_mesh:foreach=off"),
            "<code>pp=2,<wbr>optimizer=adamw:<wbr>clip=per_mesh:<wbr>foreach=off</code>")
      << "an item alone is wider than a column";
  EXPECT_EQ(breakable("torchtitan v0.2.2, models/flux/infra/parallelize.py 25-55"),
            "torchtitan v0.2.2, models/<wbr>flux/<wbr>infra/<wbr>parallelize.py 25-55");
  const std::string whole = "[pytorch#1](https://github.com/pytorch/pytorch/issues/1) `tp=2,ddp=2:device_mesh,ac`";
  EXPECT_EQ(breakable(whole), whole);
}

TEST(Markdown, GroupsDigits) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1000), "1 000");
  EXPECT_EQ(thousands(1234567), "1 234 567");
  EXPECT_EQ(thousands(-123456), "-123 456");
}

TEST(Markdown, CutsBehindAWholeCharacter) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc ...");
  EXPECT_EQ(shortened("a\xC3\xA9z", 2), "a ...");
}

TEST(Markdown, BreaksLinesAtBlanks) {
  EXPECT_EQ(in_lines(""), "");
  EXPECT_EQ(in_lines("a, b"), "a, b");
  const std::string word(90, 'x');
  EXPECT_EQ(in_lines(word + ", " + word + " b", "  "), word + ",\n  " + word + " b");
  const std::string long_word(200, 'x');
  EXPECT_EQ(in_lines(long_word), long_word);
}

TEST(Markdown, KeepsACellInItsRow) { EXPECT_EQ(cell("a|b\nc"), "a\\|b c"); }

}  // namespace
}  // namespace ordercheck
