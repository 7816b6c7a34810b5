#include "stack/caret.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(ErrorAt, PutsTheCaretUnderThePlace) {
  EXPECT_EQ(error_at("tp=2,fsdb=2", {5, 9}, "what").message, "what at column 6\n  tp=2,fsdb=2\n       ^~~~");
  EXPECT_EQ(error_at("tp=2,", {5, 5}, "what").message, "what at column 6\n  tp=2,\n       ^") << "behind the end";
  EXPECT_EQ(error_at("", {0, 0}, "what").message, "what at column 1\n  \n  ^");
}

TEST(ErrorAt, CutsALongTextAroundThePlace) {
  const std::string text = std::string(100, 'a') + "HERE" + std::string(100, 'b');
  EXPECT_EQ(error_at(text, {100, 104}, "what").message, "what at column 101\n  ..." + std::string(40, 'a') + "HERE" +
                                                            std::string(56, 'b') + "...\n  " + std::string(43, ' ') + "^~~~");
}

TEST(ErrorAt, ShowsWhatIsNotPrintableAsItIsWritten) {
  EXPECT_EQ(error_at("a\n\xff\tb", {4, 5}, "what").message, "what at column 10\n  a\\n\\xff\\tb\n           ^");
}

TEST(InQuotes, CutsAndCleans) {
  EXPECT_EQ(in_quotes("fsdb"), "'fsdb'");
  EXPECT_EQ(in_quotes("a\nb"), "'a\\nb'");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace ordercheck
