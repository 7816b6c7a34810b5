#include "base/toml.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(Toml, KeepsTheLinesOfATable) {
  toml::table table;
  EXPECT_FALSE(parse_toml("a = 1\n[b]\nc = 2\n", table));
  EXPECT_EQ(table["b"]["c"].node()->source().begin.line, 3u);
}

TEST(Toml, NamesTheLineOfAMistake) {
  toml::table table;
  const auto mistake = parse_toml("a = 1\nb = \n", table);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->line, 2u);
  EXPECT_TRUE(table.empty());
}

// Found by fuzzing: the library takes these for its own mistake and aborts.
TEST(Toml, OutlivesABracketWithoutAKey) {
  for (const char* text : {"a = 1\n[ = 2\n", "a = 1\n[[, 3]\n", "a = 1\n[\x18witness]\n", "a = 1\n [\n"}) {
    toml::table table;
    const auto mistake = parse_toml(text, table);
    ASSERT_TRUE(mistake) << text;
    EXPECT_EQ(mistake->line, 2u) << text << mistake->what;
  }
}

// Found by fuzzing: the library reaches what it calls unreachable.
TEST(Toml, RefusesWhatIsNotAsciiOutsideOfStrings) {
  for (const char* text :
       {"a = 1\n\xc5\xbe = 2\n", "a = 'x'\n\xc3\xa9 = 'y'", "a = \"\\\"\" # \xc3\xa9\nb = \xc3\xa9", "x = \"\n\xc5\xbe"}) {
    toml::table table;
    const auto mistake = parse_toml(text, table);
    ASSERT_TRUE(mistake) << text;
    EXPECT_EQ(mistake->line, 2u) << text;
    EXPECT_EQ(mistake->what, "a character outside ASCII needs quotes");
  }
}

TEST(Toml, TakesAnyCharacterInsideOfStringsAndComments) {
  toml::table table;
  const auto mistake = parse_toml(
      "a = \"\xc3\xa9\" # \xc3\xa9 \" '\nb = '\xc3\xa9\\' # \xc3\xa9\nc = \"\"\"\n\xc3\xa9 \"\" "
      "\\\"\n\xc3\xa9\"\"\"\nd = '''\xc3\xa9\n'''\n"
      "e = \"\"\"a\"\"\"\"\" # \" \xc3\xa9\n",
      table);
  ASSERT_FALSE(mistake) << mistake->line << mistake->what;
  EXPECT_EQ(table.size(), 5u);
}

}  // namespace
}  // namespace ordercheck
