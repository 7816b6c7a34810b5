// The shards of a plan as what a CI system makes its jobs of.
#pragma once

#include <string>
#include <vector>

#include "plan/shards.h"

namespace ordercheck {

// "shard 1/4: 31 cases, about 40 s", a line each. Seconds of one worker, by matrix/durations.
std::string render_shards_text(const std::vector<PlannedShard>& shards);

// For `strategy.matrix: fromJSON(...)` of a GitHub workflow: {"include":[{"shard":"1/4","cases":31,"seconds":40}, ...]}, one line.
std::string render_jobs_github(const std::vector<PlannedShard>& shards);

// A GitLab pipeline, in JSON, which is YAML: one job `matrix` that extends `.matrix`, once for every $SHARD.
std::string render_jobs_gitlab(const std::vector<PlannedShard>& shards);

// For `sbatch --array`: "1-4".
std::string render_jobs_slurm(const std::vector<PlannedShard>& shards);

}  // namespace ordercheck
