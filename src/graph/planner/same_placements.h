// Applies a plan's placements to the same graph with other sizes, such as another batch size.
//
// AutoParallel plans for given sizes and runs any that the mesh divides. Here each size's graph is traced and its plan
// verified.
#pragma once

#include "base/result.h"
#include "graph/planner/placement_planner.h"

namespace ordercheck::placing {

// Applies `plan`, which `planned` returned, to the graph of `other`. The result is verified under the rules of `other` and has
// the costs there; a new plan might be cheaper. An error if the graphs differ in more than sizes and constants, or if a
// placement is infeasible for the sizes.
Result<PlacementPlan> same_placements(const PlacementPlanner& planned, const PlacementPlan& plan,
                                      const PlacementPlanner& other);

}  // namespace ordercheck::placing
