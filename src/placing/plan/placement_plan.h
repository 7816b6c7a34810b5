// Where every value of a graph is, and a check of that which knows nothing of how it was found.
#pragma once

#include <string>
#include <vector>

#include "placing/cost/costs.h"
#include "placing/plan/rules.h"

namespace ordercheck::placing {

struct NodePlan {
  std::vector<Placements> sources;   // of each operand, as its producer leaves it
  std::vector<Placements> operands;  // as this node wants it: where both differ, it is redistributed
  std::vector<Placements> results;
  friend bool operator==(const NodePlan&, const NodePlan&) = default;
};

// What was solved to find a plan; figures, for people and for tests of growth.
struct PlanSize {
  int nodes = 0;
  int unknowns = 0;             // nodes that were planned: of alike ones, one
  int variables = 0, rows = 0;  // of the program, after the exact reductions
  int programs_solved = 0;
  bool relaxation_was_whole = true;
};

struct PlacementPlan {
  std::vector<NodePlan> nodes;
  Nanoseconds run_cost = 0;
  Nanoseconds move_cost = 0;                      // with kPreferredStay a redistribution
  Nanoseconds objective = 0;                      // what was least: cost(), less what the rules' prefetched_percent leaves out
  std::vector<std::string> replicated_operators;  // that no family of strategies knows: sorted, each once
  PlanSize size;

  Nanoseconds cost() const { return run_cost + move_cost; }
};

// The place of a node's value, as pins mean it.
const Placements& place_of(const NodePlan& node);

// Recomputes all of it from the graph, in this order: every node runs as one of its strategies; what it takes is where its producer
// leaves it, for each operand, the second of mul(x, x) among them; every redistribution has a way, and none is where nothing may move;
// no placeholder and no output is a partial sum; pairs are alike; pins are kept; the memory of parameters is within its bound; the costs
// are those stated. The error names the first that does not hold.
Status verify_plan(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine, const PlacementRules& rules,
                   const PlacementPlan& plan);

// The least share of each parameter that no pin names, and these nodes.
struct FreeParameters {
  std::vector<int> nodes;
  std::vector<std::int64_t> least;
};
FreeParameters free_parameters(const JointGraph& graph, const DeviceMesh& mesh, const std::vector<Pin>& pins);

}  // namespace ordercheck::placing
