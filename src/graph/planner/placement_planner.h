// Finds the placements of a joint graph on a mesh with the least cost under the user's rules.
//
// Strategies and costs are computed once; rules can change and the plan be solved again. Source: AutoParallel
// (meta-pytorch/autoparallel): one choice per node, redistribution costs on every edge, and the constraints of
// `PlacementRules`. Not thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/planner/placement_plan.h"
#include "graph/planner/placement_problem.h"
#include "graph/planner/reduced_choices.h"

namespace ordercheck::placing {

struct SolveOptions {
  bool reduce = true;           // reduced_choices.h
  bool repeats_blocks = false;  // repeated_blocks.h, if the rules allow such a plan
  ProgramSolver solver = solve_with_highs;
};

class PlacementPlanner {
 public:
  // An error if check_graph or check_machine fails, or if the machine lacks a speed that an operator needs.
  static Result<PlacementPlanner> make(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine);

  // Has an alias after each value with several users. Plans and pins use its node numbers.
  const JointGraph& graph() const { return graph_; }
  const DeviceMesh& mesh() const { return mesh_; }
  const Machine& machine() const { return machine_; }
  const PlacementRules& rules() const { return rules_; }
  const std::vector<NodeStrategies>& strategies() const { return strategies_; }

  // Returns the pin's name for remove(). An error if no strategy of the node has this placement, or if the node is pinned.
  Result<std::string> pin(int node, const Placements& placements);

  // One entry per graph input or output, by index; nullopt means (S(0), R, R, ...). Call each once.
  Status pin_inputs(const std::vector<std::optional<Placements>>& placements);
  Status pin_outputs(const std::vector<std::optional<Placements>>& placements);

  // Lets no parameter be sharded on this mesh axis, by index, unless it is pinned.
  void replicate_parameters_on(int axis) { rules_.replicated_on.insert(axis); }

  // `high` defaults to 1 over the number of ranks: every parameter sharded over all ranks as far as possible.
  Status bound_parameter_memory(double low = 0, std::optional<double> high = std::nullopt);

  // How much of the cost of redistributions that can be prefetched (prefetch.h) counts, in percent: 0 to 100, default 100.
  Status count_prefetched(int percent);

  // Drops the choices that `other` does not have, so that the plan can also run with the sizes of its graph. Both graphs must
  // have the same nodes; nothing happens if their numbers differ.
  void keep_choices_of(const PlacementPlanner& other);

  // Removes rules by name: a name that pin() returned, kMemoryLow or kMemoryHigh. An error if there is no such rule.
  Status remove(const std::vector<std::string>& names);

  // Returns a verified plan. If the rules allow none, the error names a minimal set of conflicting rules.
  Result<PlacementPlan> solve(const SolveOptions& options = {}) const;

 private:
  PlacementPlanner() = default;
  Status pin_all(Role role, const std::vector<std::optional<Placements>>& placements);
  Result<PlacementPlan> read(const ChoiceSolution& solved) const;
  ChoiceProblem problem_of(const PlacementRules& rules) const;
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
