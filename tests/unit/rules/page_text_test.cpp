#include "rules/page_text.h"

#include <gmock/gmock.h>

#include "unit/rules/page_text.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(ParsePage, PartsHeadTitleAndSections) {
  const Result<Page> page = parse_page("<!--\nid = 1\n-->\n# T\n\n## What it flags\na\n\nb\n## Why\nc\n## Limits\nd\n", "x.md");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->head, "id = 1\n");
  EXPECT_EQ(page->head_line, 2);
  EXPECT_EQ(page->title, "T");
  EXPECT_EQ(page->flags, "a\n\nb");
  EXPECT_EQ(page->why, "c");
  EXPECT_EQ(page->limits, "d");
}

TEST(ParsePage, HeadingsInsideAFenceAreText) {
  const Result<Page> page =
      parse_page("<!--\n-->\n# T\n## What it flags\na\n## Why\n```\n# no title\n## no section\n```\n## Limits\nd\n", "x.md");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(page->why, HasSubstr("## no section"));
}

TEST(ParsePage, GeneratedBlocksAreNoPartOfASection) {
  const std::string block = "<!-- begin: example -->\n## Example\ncode\n<!-- end -->\n";
  const Result<Page> page =
      parse_page("<!--\n-->\n# T\n## What it flags\na\n## Why\nb\n" + block + "## Limits\nc\n" + block, "x.md");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->why, "b");
  EXPECT_EQ(page->limits, "c");
  const Result<Page> open = parse_page("<!--\n-->\n# T\n## What it flags\na\n## Why\nb\n<!-- begin: example -->\n", "x.md");
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().message, HasSubstr("x.md:8: the generated block has no line '<!-- end -->'"));
}

// GitHub would end the comment there and show the rest of the head.
TEST(ParsePage, TheHeadEndsItsCommentOnlyAtItsEnd) {
  const Result<Page> page = parse_page("<!--\nclaim = \"a --> b\"\n-->\n# T\n", "x.md");
  ASSERT_FALSE(page);
  EXPECT_THAT(page.error().message, HasSubstr("x.md:2: '-->' within the head"));
}

TEST(ParsePage, LinesMayEndAsOnWindows) {
  std::string text = good_page();
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) text.insert(at, "\r");
  EXPECT_TRUE(parse_page(text, "x.md"));
}

}  // namespace
}  // namespace ordercheck
