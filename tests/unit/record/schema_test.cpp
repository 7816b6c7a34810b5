#include "record/schema.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "record/record.h"
#include "stack/case.h"

namespace ordercheck {
namespace {

using nlohmann::json;

constexpr std::array kAll{Schema::hello, Schema::run, Schema::progress, Schema::answer, Schema::record};

TEST(schema, the_program_carries_the_files_as_they_stand) {
  const std::array names{"hello", "run", "progress", "answer", "record"};
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    std::ifstream file(std::string(ORDERCHECK_SOURCE_DIR "/src/record/schema/") + names[i] + ".json");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), text_of(kAll[i])) << names[i];
  }
}

// An object that lists its fields and does not close itself, or has one that is not required, would let a slip pass.
void expect_closed(const json& schema, const std::string& at) {
  if (schema.is_object() && schema.contains("properties") && schema.contains("type")) {
    EXPECT_EQ(schema.value("additionalProperties", true), false) << at;
    for (const auto& [name, value] : schema["properties"].items())
      EXPECT_THAT(schema["required"], testing::Contains(name)) << at;
  }
  if (schema.is_structured())
    for (const auto& [name, value] : schema.items()) expect_closed(value, at + "/" + name);
}

TEST(schema, every_object_is_closed_and_every_field_required) {
  for (const Schema schema : kAll) expect_closed(json::parse(text_of(schema)), "");
}

TEST(schema, names_of_enumerations_are_those_of_the_program) {
  json phases = json::array(), endings = json::array();
  for (int i = 0; i <= static_cast<int>(Phase::observe); ++i) phases.push_back(name_of(static_cast<Phase>(i)));
  for (int i = 0; i <= static_cast<int>(Ending::unstarted); ++i) endings.push_back(name_of(static_cast<Ending>(i)));
  const json record = json::parse(text_of(Schema::record));
  const json run = json::parse(text_of(Schema::run));
  EXPECT_EQ(record["definitions"]["phase"]["enum"], phases);
  EXPECT_EQ(run["definitions"]["fault"]["properties"]["phase"]["enum"], phases);
  EXPECT_EQ(record["properties"]["ending"]["enum"], endings);
}

}  // namespace
}  // namespace ordercheck
