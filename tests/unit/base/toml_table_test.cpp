#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/toml.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TomlTable, GivesWhatIsThere) {
  TomlTable file("name = \"n\"\nlist = [\"a\", \"b\"]\nsizes = [1, 2]\n[part]\nday = \"2026-02-20\"\n[[each]]\nx = 3\n",
                 "f.toml");
  EXPECT_EQ(file.text("name"), "n");
  EXPECT_EQ(file.text_if_given("other"), "");
  EXPECT_THAT(file.texts("list"), ElementsAre("a", "b"));
  EXPECT_THAT(file.texts_if_given("more"), IsEmpty());
  EXPECT_THAT(file.numbers("sizes"), ElementsAre(1, 2));
  TomlTable part = file.table("part");
  EXPECT_EQ(part.date_if_given("day"), "2026-02-20");
  file.adopt(part);
  std::vector<TomlTable> each = file.tables("each");
  ASSERT_EQ(each.size(), 1u);
  EXPECT_EQ(each[0].number_if_given("x"), 3);
  EXPECT_FALSE(each[0].number_if_given("y"));
  file.adopt(each[0]);
  EXPECT_THAT(file.tables_if_given("none"), IsEmpty());
  EXPECT_FALSE(file.error());
}

// One key is asked for, as a text; the message tells what is wrong with it.
std::string error_of_text(const std::string& toml) {
  TomlTable file(toml, "f.toml");
  file.text("key");
  return file.error().value_or(Error{"none"}).message;
}

TEST(TomlTable, KeepsTheFirstErrorWithItsLine) {
  EXPECT_EQ(error_of_text("key = \"x\"\n"), "none");
  EXPECT_EQ(error_of_text(""), "f.toml:1: the key 'key' is missing");
  EXPECT_EQ(error_of_text("\nkey = 3\n"), "f.toml:2: 'key' is no string; write key = \"...\"");
  EXPECT_EQ(error_of_text("key = \" \"\n"), "f.toml:1: 'key' is empty");
  EXPECT_THAT(error_of_text("key = \n"), HasSubstr("f.toml:1: "));
}

TEST(TomlTable, NamesAnUnknownKeyBeforeTheOneThatItLeavesMissing) {
  EXPECT_EQ(error_of_text("\nkye = \"x\"\n"), "f.toml:2: unknown key 'kye'; did you mean 'key'?");
  EXPECT_EQ(error_of_text("key = \"x\"\nzebra = 1\nother = 2\n"), "f.toml:2: unknown key 'zebra'; known: key");
}

TEST(TomlTable, CallsItsPartsByName) {
  TomlTable file("[part]\nwrong = 1\n", "page.md", "the head", 3);
  TomlTable part = file.table("part");
  part.text_if_given("right");
  file.adopt(part);
  EXPECT_EQ(file.error()->message, "page.md:4: unknown key 'wrong' in [part]; known: right");

  TomlTable missing("", "page.md", "the head", 3);
  missing.table("part");
  EXPECT_EQ(missing.error()->message, "page.md:3: the key 'part' is missing in the head");

  TomlTable other("part = 1\n", "f.toml");
  other.table("part");
  EXPECT_EQ(other.error()->message, "f.toml:1: 'part' is no table; begin it with a line [part]");
}

TEST(TomlTable, RefusesAtTheLineOfAnElement) {
  TomlTable file("list = [\n  \"a\",\n  \"b\"\n]\n", "f.toml");
  file.texts("list");
  file.refuse("list", 1, "'b' cannot be meant");
  EXPECT_EQ(file.error()->message, "f.toml:3: 'b' cannot be meant");
}

TEST(TomlTable, TakesAValueOrItsError) {
  TomlTable file("key = \"x\"\n", "f.toml");
  file.text("key");
  EXPECT_EQ(file.take("key", Result<int>(3)), 3);
  EXPECT_EQ(file.take("key", Result<int>(Error{"not so"})), 0);
  EXPECT_EQ(file.error()->message, "f.toml:1: not so");
}

}  // namespace
}  // namespace ordercheck
