// Redistributions that ranks can make while they compute something else, and how much of them counts.
//
// A parameter can be gathered before it is used, for nothing that is computed in the step makes it; a gradient can be reduced while
// backward goes on, for nothing in the step waits for it. Source: AutoParallel's apply_prefetch_discount, which is off unless asked for.
#pragma once

#include <set>

#include "placing/cost/costs.h"
#include "placing/plan/rules.h"

namespace ordercheck::placing {

// Edges whose producer is made of parameters alone, or whose consumer ends in gradients alone.
std::set<Edge> prefetched_edges(const JointGraph& graph);

// `percent` of the cost, rounded down, but of kPreferredStay all: of plans that cost the same, the one with fewer redistributions is
// chosen still. What is forbidden stays so, and what costs nothing.
Nanoseconds discounted(Nanoseconds move, int percent);

}  // namespace ordercheck::placing
