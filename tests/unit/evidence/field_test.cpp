#include "evidence/field.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(Field, EscapedTextComesBack) {
  for (const char* text : {"", "-", "--", "plain", "a\tb\nc\\d\r", "\\-", "\\t", " padded "}) {
    const auto back = unescape_field(escape_field(text));
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(*back, text);
    EXPECT_EQ(escape_field(text).find_first_of("\t\n\r"), std::string::npos);
    EXPECT_FALSE(escape_field(text).empty());
  }
}

TEST(Field, ALoneBackslashIsRefused) {
  EXPECT_FALSE(unescape_field("torn\\"));
  EXPECT_FALSE(unescape_field("\\q"));
}

TEST(Field, CountersLeaveOutZero) {
  EXPECT_EQ(print_counters({}), "");
  EXPECT_EQ(print_counters({.operators_recomputed = 5, .p2p_messages = 2}), "operators_recomputed=5 p2p_messages=2");
}

}  // namespace
}  // namespace ordercheck
