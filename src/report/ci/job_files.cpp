#include "report/ci/job_files.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/wording.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(std::size_t index, const std::vector<PlannedShard>& shards) {
  return fmt::format("{}/{}", index + 1, shards.size());
}

long whole_seconds(const PlannedShard& shard) { return std::lround(std::ceil(shard.seconds)); }

}  // namespace

std::string render_shards_text(const std::vector<PlannedShard>& shards) {
  std::string text;
  for (std::size_t i = 0; i < shards.size(); ++i)
    text += fmt::format("shard {}: {}, about {} s\n", name_of(i, shards), counted(std::ssize(shards[i].plan.cases), "case"),
                        whole_seconds(shards[i]));
  return text;
}

std::string render_jobs_github(const std::vector<PlannedShard>& shards) {
  Json include = Json::array();
  for (std::size_t i = 0; i < shards.size(); ++i)
    include.push_back(
        {{"shard", name_of(i, shards)}, {"cases", shards[i].plan.cases.size()}, {"seconds", whole_seconds(shards[i])}});
  return Json{{"include", include}}.dump() + "\n";
}

std::string render_jobs_gitlab(const std::vector<PlannedShard>& shards) {
  Json names = Json::array();
  for (std::size_t i = 0; i < shards.size(); ++i) names.push_back(name_of(i, shards));
  const Json matrix = Json::array({Json{{"SHARD", names}}});
  return Json{{"matrix", {{"extends", ".matrix"}, {"parallel", {{"matrix", matrix}}}}}}.dump() + "\n";
}

std::string render_jobs_slurm(const std::vector<PlannedShard>& shards) { return fmt::format("1-{}\n", shards.size()); }

}  // namespace ordercheck
