#include "rule/toml.h"

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

}  // namespace
}  // namespace ordercheck
