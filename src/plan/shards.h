// Which cases of a plan a shard runs. The same plan gives the same shards on every machine, so that each job of a CI finds its part by
// its number alone.
#pragma once

#include <vector>

#include "evidence/shard.h"
#include "plan/plan.h"
#include "rule/rule.h"

namespace ordercheck {

// The cases of `shard`, sorted; all that is not planned stands in each shard. Cases are dealt in the order of the hash of their names,
// so each shard gets as many as the others, and neighbours of a plan, which take alike long, go to different ones. The two witnesses of
// a rule that compares them (commutes, slow, memory) stay together, so that a shard alone can judge them.
Plan shard_of(const Plan& plan, const std::vector<Rule>& rules, const Shard& shard);

}  // namespace ordercheck
