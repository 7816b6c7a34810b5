#include "import/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/recording/story.h"
#include "unit/import/recording/recording_json.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& json) {
  const auto recording = parse_recording(json, "job.json");
  return recording ? "" : recording.error().message;
}

std::string with(std::string json, const std::string& from, const std::string& to) {
  json.replace(json.find(from), from.size(), to);
  return json;
}

const std::string kValid = recording_json({{ac_site(), kBlocks}, {fsdp_site(), {""}}});

TEST(Recording, IsRecognizedByItsSchema) {
  EXPECT_TRUE(is_recording(kValid));
  EXPECT_FALSE(is_recording(R"({"zero_optimization": {"stage": 3}})"));
}

TEST(Recording, NamesWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("{"), "job.json: no JSON; expected the file that `ordercheck record` writes");
  EXPECT_EQ(error_of(with(kValid, "recording/1", "recording/9")),
            "job.json: schema: expected ordercheck/recording/1, got \"ordercheck/recording/9\"; record the job again");
  EXPECT_EQ(error_of(with(kValid, R"("site": 1)", R"("site": 7)")),
            "job.json: events[4].site: expected a whole number from 0 to 1, got 7; record the job again");
  EXPECT_EQ(error_of(with(kValid, R"("sizes": [2])", R"("sizes": [0])")),
            "job.json: meshes[0].sizes: expected a list of sizes above 0, got [0]; record the job again");
  EXPECT_EQ(error_of(with(kValid, R"("ranks": 4)", R"("ranks": "four")")),
            "job.json: ranks: expected a whole number from 1 to 1000000000, got \"four\"; record the job again");
  EXPECT_THAT(
      error_of("{\"schema\": \"ordercheck/recording/1\", \"x\": " + std::string(5000, '[') + std::string(5000, ']') + "}"),
      HasSubstr("job.json: no JSON"));
}

TEST(Recording, IsToldInTheOrderOfItsCalls) {
  const auto recording = parse_recording(kValid, "job.json");
  ASSERT_TRUE(recording);
  const std::string story = tell_recording(*recording);
  EXPECT_THAT(story, HasSubstr("A job on 4 ranks, with torch 2.15.0+cu132.\n"));
  EXPECT_THAT(story, HasSubstr(" 1. checkpoint_wrapper on 4 layers.*: checkpoint_impl=NO_REENTRANT  [train.py:1]\n"
                               " 2. fully_shard on Net: mesh dp=2  [train.py:2]\n"));
  EXPECT_THAT(story, HasSubstr("- backward recomputed 4 of 4 checkpointed layers.*\n"));
}

}  // namespace
}  // namespace ordercheck
