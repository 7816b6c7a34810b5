#include "import/json_settings.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

std::string json_of(std::string_view text) {
  const auto read = read_json(text, "f.json");
  if (!read) return read.error().message;
  std::string shown;
  for (const Setting& one : *read)
    shown += std::to_string(one.where.line) + " " + name_of(one.form) + " " + in_words(one) + "\n";
  return shown;
}

TEST(JsonSettings, HaveTheirKeysAndLines) {
  EXPECT_EQ(
      json_of("{\n\"a\": 1,\n\"b\": {\n\"c\": true, \"d\": \"auto\",\n\"e\": 0.5, \"f\": null},\n\"g\": [1, \"x\"], \"h\": "
              "{}, \"i\": [{\"a\": 1}]\n}"),
      "2 whole a: 1\n4 flag b.c: true\n4 word b.d: auto\n5 number b.e: 0.5\n5 nothing b.f: null\n6 list g: [1, x]\n6 table h: "
      "{}\n6 list i: []\n");
}

TEST(JsonSettings, RefuseWhatIsNoConfiguration) {
  EXPECT_EQ(json_of("[1]"), "f.json:1: expected an object, got a list");
  EXPECT_EQ(json_of("1"), "f.json:1: expected an object");
  EXPECT_EQ(json_of("{\"a\": 1,\n\"a\": 2}"), "f.json:2: duplicate key 'a', first in line 1; remove one");
  EXPECT_EQ(json_of("{\n\"a\": \n}").substr(0, 30), "f.json:3: no JSON: syntax erro");
  std::string deep = "{\"a\":";
  for (int level = 0; level < 100; ++level) deep += "{\"a\":";
  EXPECT_EQ(json_of(deep), "f.json:1: nested deeper than 64 levels");
}

}  // namespace
}  // namespace ordercheck
