#include "graph/planner/traced_model.h"

#include <utility>

#include "graph/planner/plan_record_of.h"
#include "graph/recorded.h"

namespace ordercheck::placing {

Result<PlanRecord> plan_of(const TracedModel& model, const StatedPlacement& stated, const Machine& machine) {
  auto graph = joint_graph_of(model.graph);
  if (!graph) return graph.error();
  for (JointNode& node : graph->nodes)
    if (node.role == Role::parameter || node.role == Role::gradient_of_parameter)
      node.module = model.parameters.at(static_cast<std::size_t>(node.index));
  auto made = PlacementPlanner::make(*graph, stated.mesh, machine);
  if (!made) return made.error();
  PlacementPlanner planner = *std::move(made);
  TrainingRules rules = stated.rules;
  rules.has_samples = model.has_samples;
  if (const Status done = state_training_rules(planner, rules); !done) return done.error();
  const auto plan = planner.solve({.repeats_blocks = true});
  if (!plan) return plan.error();
  return plan_record(planner, *plan, model.parameters);
}

}  // namespace ordercheck::placing
