// The placements of a plan for the same graph with other sizes: that of a batch of more or fewer samples.
//
// Source: AutoParallel plans for the sizes that it is told and runs any that the mesh divides. Here the graph of each is traced, and its
// plan verified.
#pragma once

#include "base/result.h"
#include "placing/plan/placement_planner.h"

namespace ordercheck::placing {

// `plan` is one of `planned`. Verified under the rules of `other`, with what it costs there, which another plan may undercut. An error where
// the graphs differ in more than sizes and constants, and where a placement does not go with the sizes.
Result<PlacementPlan> same_placements(const PlacementPlanner& planned, const PlacementPlan& plan,
                                      const PlacementPlanner& other);

}  // namespace ordercheck::placing
