// Expresses the placement of a graph as a ChoiceProblem (reduced_choices.h).
#pragma once

#include <vector>

#include "graph/planner/placement_plan.h"
#include "graph/planner/reduced_choices.h"

namespace ordercheck::placing {

// What PlacementPlanner has computed beforehand.
struct PlacementQuestion {
  const JointGraph& graph;
  const DeviceMesh& mesh;
  const Machine& machine;
  const std::vector<NodeStrategies>& strategies;
  const std::vector<std::vector<Nanoseconds>>& run_costs;
};
// Unknown number n of the result is the strategy of node n.
ChoiceProblem placement_problem(const PlacementQuestion& question, const PlacementRules& rules);

}  // namespace ordercheck::placing
