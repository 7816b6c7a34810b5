// Defines a placement plan (the placement of every operand and result of a joint graph), and verifies it independently of the
// planner.
#pragma once

#include <string>
#include <vector>

#include "graph/costs.h"
#include "graph/planner/rules.h"

namespace ordercheck::placing {

struct NodePlan {
  std::vector<Placements> sources;   // per operand: its placement as its producer returns it
  std::vector<Placements> operands;  // per operand: as this node needs it; redistributed if it differs from `sources`
  std::vector<Placements> results;
  friend bool operator==(const NodePlan&, const NodePlan&) = default;
};

struct PlacementPlan {
  std::vector<NodePlan> nodes;
  Nanoseconds run_cost = 0;
  Nanoseconds move_cost = 0;  // includes kPreferredStay per redistribution
  Nanoseconds objective = 0;  // the minimized value: cost() without the share that prefetched_percent excludes
  std::vector<std::string> replicated_operators;  // operators without a strategy family; sorted, no duplicates

  Nanoseconds cost() const { return run_cost + move_cost; }
};

// The placement that a Pin (rules.h) of this node would name.
const Placements& place_of(const NodePlan& node);

// Recomputes strategies and costs from the graph and checks the plan against them. The error names the first violation, in
// this order:
// - every node runs by one of its strategies
// - the source of each operand is its producer's result, also for the second operand of mul(x, x)
// - every redistribution is possible, and none is on an edge that must stay
// - placeholders and outputs are no partial sums; pairs have equal placements; pins hold; replica axes shard no parameter
// - parameter memory is within its bounds; costs are as stated
Status verify_plan(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine, const PlacementRules& rules,
                   const PlacementPlan& plan);

// The parameters without a pin, each with the smallest share of its elements that the rules let a rank hold.
struct FreeParameters {
  std::vector<int> nodes;
  std::vector<std::int64_t> least;
};
FreeParameters free_parameters(const JointGraph& graph, const DeviceMesh& mesh, const PlacementRules& rules);

}  // namespace ordercheck::placing
