// Splits the cases of a plan into shards, one per CI job. The same plan gives the same shards on every machine.
#pragma once

#include <vector>

#include "matrix/plan.h"
#include "record/evidence_merge.h"
#include "rules/rule.h"

namespace ordercheck {

// Returns the cases of `shard`, sorted by name. Cases go to the shards in turn, in the order of the hash of their names. So
// shards get equally many, and adjacent cases of the plan, which take similar time, go to different shards. The two example
// stacks of a rule that compares them (commutes, slow, memory) stay together. Every shard lists all cases that are not
// planned.
Plan shard_of(const Plan& plan, const std::vector<Rule>& rules, const Shard& shard);

}  // namespace ordercheck
