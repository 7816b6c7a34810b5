#include "import/yaml_settings.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

std::string shown(const SettingList& settings) {
  std::string text;
  for (const Setting& one : settings)
    text += std::to_string(one.where.line) + " " + name_of(one.form) + " " + in_words(one) + "\n";
  return text;
}

std::string shown_of(std::string_view text) {
  const auto read = read_yaml(text, "f.yaml");
  return read ? shown(*read) : read.error().message;
}

TEST(YamlSettings, HaveTheirKeysAndLines) {
  EXPECT_EQ(shown_of("a: 1\n"
                     "b:\n"
                     "  c: yes\n"
                     "  d: 'yes'\n"
                     "  e: {f: 0.5, g: }\n"
                     "h: [x, 2]\n"
                     "i: {}\n"),
            "1 whole a: 1\n3 flag b.c: true\n4 word b.d: yes\n5 number b.e.f: 0.5\n5 nothing b.e.g: null\n6 list h: [x, 2]\n"
            "7 table i: {}\n");
}

TEST(YamlSettings, TakeAByteOrderMarkAndTheFirstDocument) {
  EXPECT_EQ(shown_of("\xEF\xBB\xBF# c\n---\na: no\n---\nb: 1\n"), "3 flag a: false\n");
}

TEST(YamlSettings, DoNotLookIntoListsOfTables) {
  EXPECT_EQ(shown_of("datasets:\n  - path: x\n    type: y\nz: 1\n"), "1 list datasets: []\n4 whole z: 1\n");
}

TEST(YamlSettings, RepeatWhatAnAliasStandsFor) {
  EXPECT_EQ(shown_of("a: &one {b: 1, c: 2}\nd: *one\ne:\n  <<: *one\n  c: 3\nf: &two 4\ng: *two\n"),
            "1 whole a.b: 1\n1 whole a.c: 2\n2 whole d.b: 1\n2 whole d.c: 2\n4 whole e.b: 1\n5 whole e.c: 3\n6 whole f: 4\n7 "
            "whole g: 4\n");
}

TEST(YamlSettings, RefuseWhatIsNoConfiguration) {
  EXPECT_EQ(shown_of("a: 1\na: 2\n"), "f.yaml:2: duplicate key 'a', first in line 1; remove one");
  EXPECT_EQ(shown_of("a:\n\tb: 1\n").substr(0, 17), "f.yaml:2: no YAML");
  EXPECT_EQ(shown_of(std::string_view("a: \0", 4)), "f.yaml:1: a NUL byte; expected a text file");
  EXPECT_EQ(shown_of("a: 1\nb: \xff\n"), "f.yaml:2: a byte that is no UTF-8; expected a text file");
  EXPECT_EQ(shown_of("a: &x [*x]\n"), "1 list a: []\n");
  EXPECT_EQ(shown_of("a: &x {b: *x}\n"), "f.yaml:1: the alias of 'b' is of a list or within itself; write it out");
}

TEST(YamlSettings, AreBounded) {
  std::string deep;
  for (int level = 0; level < 100; ++level) deep += std::string(static_cast<std::size_t>(level), ' ') + "a:\n";
  EXPECT_EQ(shown_of(deep), "f.yaml:65: nested deeper than 64 levels");
  std::string bomb = "a0: &a0 {x: 1, y: 2}\n";
  for (int at = 1; at < 40; ++at) {
    const std::string before = "*a" + std::to_string(at - 1);
    bomb += "a" + std::to_string(at) + ": &a" + std::to_string(at) + " {x: " + before + " , y: " + before + " }\n";
  }
  EXPECT_EQ(shown_of(bomb).find("more than 50000 values") == std::string::npos, false) << shown_of(bomb).substr(0, 200);
  EXPECT_EQ(shown_of(std::string(600, 'k') + ": 1\n"), "f.yaml:1: a key of more than 500 characters; expected a configuration");
  EXPECT_EQ(shown_of(std::string(kLargestImport + 1, ' ')),
            "f.yaml:1: 8388609 bytes; expected a configuration of at most 8388608");
}

}  // namespace
}  // namespace ordercheck
