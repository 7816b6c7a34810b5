// Finds redistributions that can overlap with compute, and discounts their cost.
//
// A parameter can be gathered early, because no computation of the step produces it. A gradient can be reduced late, because
// nothing in the step waits for it. Source: AutoParallel's apply_prefetch_discount, which is off by default.
#pragma once

#include <set>

#include "graph/costs.h"
#include "graph/planner/rules.h"

namespace ordercheck::placing {

// The edges of the graph whose redistribution can be prefetched or delayed: the producer depends on parameters only, or the
// consumer only leads to gradients.
std::set<Edge> prefetched_edges(const JointGraph& graph);

// Reduces the cost of a redistribution to `percent`, rounded down. The surcharge kPreferredStay is not reduced, so that fewer
// redistributions still win between equal plans. kForbidden and 0 are unchanged.
Nanoseconds discounted(Nanoseconds move, int percent);

}  // namespace ordercheck::placing
