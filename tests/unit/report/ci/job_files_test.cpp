#include "report/ci/job_files.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stack/notation.h"

namespace ordercheck {
namespace {

std::vector<PlannedShard> two_shards() {
  Plan plan{.engine = "native"};
  for (const char* text : {"fsdp=2", "tp=2", "tp=4"}) plan.cases.push_back({{.stack = *parse_stack(text)}, {}});
  return shards_of(plan, {}, {{"tp=4", 64}, {"tp=2", 1}, {"fsdp=2", 0.5}}, 2);
}

TEST(JobFiles, TextSaysHowMuchEachHas) {
  const std::string text = render_shards_text(two_shards());
  EXPECT_NE(text.find(": 1 case, about 64 s\n"), std::string::npos) << text;
  EXPECT_NE(text.find(": 2 cases, about 2 s\n"), std::string::npos) << text;
}

TEST(JobFiles, OfAGitHubMatrixAreOneLine) {
  const std::string text = render_jobs_github(two_shards());
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json["include"].size(), 2u);
  EXPECT_EQ(json["include"][1]["shard"], "2/2");
  EXPECT_EQ(json["include"][0]["cases"].get<int>() + json["include"][1]["cases"].get<int>(), 3);
}

TEST(JobFiles, OfGitLabAndSlurmNameTheShards) {
  EXPECT_EQ(nlohmann::json::parse(render_jobs_gitlab(two_shards()))["matrix"]["parallel"]["matrix"][0]["SHARD"],
            nlohmann::json({"1/2", "2/2"}));
  EXPECT_EQ(render_jobs_slurm(two_shards()), "1-2\n");
}

}  // namespace
}  // namespace ordercheck
