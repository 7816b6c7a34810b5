// Which cases of a plan a shard runs. The same plan gives the same shards on every machine, so that each job of a CI finds its part by
// its number alone.
#pragma once

#include <vector>

#include "evidence/merge.h"
#include "plan/plan.h"
#include "rule/rule.h"

namespace ordercheck {

// Returns the cases of `shard`, sorted by name. Cases are dealt in the order of the hash of their names: every shard gets the same
// number, and neighbours of the plan, which take about as long, go to different shards. A rule that compares its two witnesses
// (commutes, slow, memory) has both in one shard. Every shard lists all cases that are not planned.
Plan shard_of(const Plan& plan, const std::vector<Rule>& rules, const Shard& shard);

}  // namespace ordercheck
