#include "graph/planner/training_rules.h"

namespace ordercheck::placing {
namespace {

// `batch` on the batch axes, `other` on the rest; R on axes of one rank, which split nothing.
Placements placed(const PlacementPlanner& planner, const TrainingRules& rules, Placement batch, Placement other) {
  Placements placements;
  for (const MeshAxis& axis : planner.mesh())
    placements.push_back(axis.size == 1 ? replicate() : rules.batch_axes.contains(axis.name) ? batch : other);
  return placements;
}

}  // namespace

Status state_training_rules(PlacementPlanner& planner, const TrainingRules& rules) {
  std::vector<std::optional<Placements>> inputs, outputs;
  for (const bool samples : rules.has_samples)
    inputs.emplace_back(placed(planner, rules, samples ? shard(0) : replicate(), replicate()));
  for (int index = 0; find_node(planner.graph(), Role::output, index) >= 0; ++index) {
    const JointNode& node = planner.graph().nodes[find_node(planner.graph(), Role::output, index)];
    const std::size_t dims = planner.graph().values[node.operands.front()].shape.size();
    outputs.emplace_back(placed(planner, rules, shard(0), shard(static_cast<int>(dims) - 1)));
  }
  if (const Status stated = planner.pin_inputs(inputs); !stated) return stated;
  if (const Status stated = planner.pin_outputs(outputs); !stated) return stated;
  if (const Status stated = planner.count_prefetched(rules.prefetched_percent); !stated) return stated;
  return rules.bounds_memory ? planner.bound_parameter_memory() : Status(Done{});
}

}  // namespace ordercheck::placing
