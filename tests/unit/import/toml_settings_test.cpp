#include "import/toml_settings.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

std::string toml_of(std::string_view text) {
  const auto read = read_toml(text, "f.toml");
  if (!read) return read.error().message;
  std::string shown;
  for (const Setting& one : *read)
    shown += std::to_string(one.where.line) + " " + name_of(one.form) + " " + in_words(one) + "\n";
  return shown;
}

TEST(TomlSettings, StandInTheOrderOfTheFile) {
  EXPECT_EQ(toml_of("z = 1\n[b]\nc = true\na = \"x\"\n[b.d]\ne = 0.5\nf = [1, \"y\"]\n[[g]]\nh = 1\n"),
            "1 whole z: 1\n3 flag b.c: true\n4 word b.a: x\n6 number b.d.e: 0.5\n7 list b.d.f: [1, y]\n8 list g: []\n");
}

TEST(TomlSettings, RefuseWhatIsNone) {
  EXPECT_EQ(toml_of("a = 1\na = 2\n").substr(0, 18), "f.toml:2: no TOML:");
  EXPECT_EQ(toml_of(std::string(600, 'k') + " = 1\n"), "f.toml:1: a key of more than 500 characters; expected a configuration");
}

}  // namespace
}  // namespace ordercheck
