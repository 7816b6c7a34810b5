// Plans placements for a joint graph on a mesh: the least cost that the rules allow.
//
// Strategies and costs are worked out once; rules can be added and removed, and the plan solved for again. Source: AutoParallel
// (meta-pytorch/autoparallel): one choice a node, its redistributions priced on every edge, and the constraints of `PlacementRules`.
// Not thread safe; a planner is used by one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "placing/plan/placement_plan.h"
#include "placing/plan/placement_problem.h"
#include "placing/plan/reduced_choices.h"

namespace ordercheck::placing {

struct SolveOptions {
  // Nodes alike within so many edges are placed alike and planned once, so that the time does not grow with the number of repeated
  // blocks. The plan is then the best of those that place them alike, which can cost more than the best of all: where one block shards
  // the columns of a product and the next its rows, blocks of one product each want to differ. Without: every node on its own. Where the
  // rules leave no plan that places them alike, one is sought that does not.
  std::optional<int> alike_within = 8;
  bool reduce = true;  // reduced_choices.h
  ProgramSolver solver = solve_with_highs;
};

class PlacementPlanner {
 public:
  // Refuses what check_graph and check_machine refuse, and a graph whose operators the machine cannot be asked about.
  static Result<PlacementPlanner> make(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine);

  // With an alias behind each value that several operands take: nodes of plans and pins are numbered as here.
  const JointGraph& graph() const { return graph_; }
  const DeviceMesh& mesh() const { return mesh_; }
  const Machine& machine() const { return machine_; }
  const PlacementRules& rules() const { return rules_; }
  const std::vector<NodeStrategies>& strategies() const { return strategies_; }

  // The name by which to remove it. An error where no strategy of the node has this place, or the node has one already.
  Result<std::string> pin(int node, const Placements& placements);

  // By index, as many as the graph has; nothing means (S(0), R, R, ...). Once each.
  Status pin_inputs(const std::vector<std::optional<Placements>>& placements);
  Status pin_outputs(const std::vector<std::optional<Placements>>& placements);

  // Without a high limit, 1 over the number of ranks: every parameter sharded over all of them as far as it can be.
  Status bound_parameter_memory(double low = 0, std::optional<double> high = std::nullopt);

  // 0 to 100, of redistributions that can be made ahead (prefetch.h). 100 until it is stated.
  Status count_prefetched(int percent);

  // Names that `pin` gave, or kMemoryLow and kMemoryHigh. An error where there is no such rule.
  Status remove(const std::vector<std::string>& names);

  // Verified before it is given. Where the rules leave no plan, an error with the names of some that cannot be kept together, none of
  // which could be left out.
  Result<PlacementPlan> solve(const SolveOptions& options = {}) const;

 private:
  PlacementPlanner() = default;
  Status pin_all(Role role, const std::vector<std::optional<Placements>>& placements);
  Result<PlacementPlan> read(const PlacementProblem& problem, const ChoiceSolution& solved) const;
  PlacementProblem problem_of(const PlacementRules& rules, const SolveOptions& options) const;
  Error conflict(const SolveOptions& options) const;

  JointGraph graph_;
  DeviceMesh mesh_;
  Machine machine_;
  PlacementRules rules_;
  std::vector<NodeStrategies> strategies_;
  std::vector<std::vector<Nanoseconds>> run_costs_;  // by node and strategy
};

inline constexpr const char* kMemoryLow = "parameter memory low";
inline constexpr const char* kMemoryHigh = "parameter memory high";

}  // namespace ordercheck::placing
