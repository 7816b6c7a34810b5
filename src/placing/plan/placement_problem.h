// The placements of a graph as a choice problem.
#pragma once

#include <vector>

#include "placing/plan/placement_plan.h"
#include "placing/plan/reduced_choices.h"

namespace ordercheck::placing {

struct PlacementProblem {
  ChoiceProblem choices;
  std::vector<int> unknown_of;  // of each node
};

// What a planner has worked out, and the classes of alike nodes: one unknown a class, its costs taken as often as it has nodes.
struct PlacementQuestion {
  const JointGraph& graph;
  const DeviceMesh& mesh;
  const Machine& machine;
  const std::vector<NodeStrategies>& strategies;
  const std::vector<std::vector<Nanoseconds>>& run_costs;
};
PlacementProblem placement_problem(const PlacementQuestion& question, const PlacementRules& rules,
                                   const std::vector<int>& classes);

}  // namespace ordercheck::placing
