// A plan in shards that take alike long. The same plan and durations give the same shards on every machine, so that each job of a
// matrix finds its own part by its number alone.
#pragma once

#include <vector>

#include "plan/durations.h"
#include "plan/plan.h"
#include "rule/rule.h"

namespace ordercheck {

struct PlannedShard {
  Plan plan;           // its cases, sorted; all that is not planned stands in each
  double seconds = 0;  // of its cases; a case that was never measured counts as the median of those that were
};

// The longest case first. Each goes to the shard that its name hashes to as long as that one stays within 5% of an even share, else to
// the one with the least so far: so a case more or less moves few others. The two witnesses of a rule that compares them (commutes,
// slow, memory) stay together, so that a shard alone can judge them. `count` shards, at least 1; none is empty unless there are more of
// them than `most_shards`.
std::vector<PlannedShard> shards_of(const Plan& plan, const std::vector<Rule>& rules, const Durations& durations, int count);

// How many shards can have a case each; 1 of an empty plan.
int most_shards(const Plan& plan, const std::vector<Rule>& rules);

}  // namespace ordercheck
