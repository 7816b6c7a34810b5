#include "matrix/bounded_text.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace ordercheck {
namespace {

TEST(bounded_text, keeps_all_of_a_short_text) {
  BoundedText text(100);
  EXPECT_TRUE(text.empty());
  text.append("one\n");
  text.append("two\n");
  EXPECT_EQ(text.text(), "one\ntwo\n");
  EXPECT_EQ(text.last_lines(1), "two");
  text.clear();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.last_lines(3), "");
}

TEST(bounded_text, leaves_out_the_middle_and_says_how_much) {
  BoundedText text(8);
  text.append("abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(text.text(), "abcd\n[18 bytes left out]\nwxyz");
}

TEST(bounded_text, last_lines_are_one_line_without_control_characters) {
  BoundedText text(1000);
  text.append("first\n\n  Error: \x1b[31mbad\t\r\n   \nlast\n\n");
  EXPECT_EQ(text.last_lines(2), "Error:  [31mbad | last");
  BoundedText flood(4000);
  flood.append(std::string(3000, 'x') + "end");
  EXPECT_EQ(flood.last_lines(3).size(), 400u);
  EXPECT_TRUE(flood.last_lines(3).ends_with("xend"));
}

RC_GTEST_PROP(bounded_text, is_the_same_however_it_is_cut_into_pieces, (const std::vector<std::string>& pieces)) {
  BoundedText together(16), apart(16);
  std::string whole;
  for (const std::string& piece : pieces) {
    whole += piece;
    apart.append(piece);
  }
  together.append(whole);
  RC_ASSERT(together.text() == apart.text());
  RC_ASSERT(whole.size() > 16 || apart.text() == whole);
}

}  // namespace
}  // namespace ordercheck
