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

constexpr const char* kReplicas = "dp_replicate";
constexpr const char* kShards = "dp_shard";
constexpr const char* kTensors = "tp";

}  // namespace

StatedPlacement stated_placement(const Item& item) {
  StatedPlacement stated;
  const int replicas = count_option(item, "replicas", 1), tensors = count_option(item, "tp", 1);
  if (replicas > 1) {
    stated.mesh.push_back({.name = kReplicas, .size = replicas});
    stated.rules.replica_axes.insert(kReplicas);
  }
  stated.mesh.push_back({.name = kShards, .size = item.degrees.empty() ? 1 : item.degrees.front().value});
  if (tensors > 1) stated.mesh.push_back({.name = kTensors, .size = tensors});
  for (const MeshAxis& axis : stated.mesh)
    if (axis.name != kTensors) stated.rules.batch_axes.insert(axis.name);
  if (option_of(item, "memory") == "replicated") stated.rules.memory.reset();
  if (option_of(item, "prefetch") == "free") stated.rules.prefetched_percent = 0;
  return stated;
}

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
  std::int64_t holders = 1;
  for (std::size_t axis = 0; axis < planner.mesh().size(); ++axis) {
    if (rules.replica_axes.contains(planner.mesh()[axis].name))
      planner.replicate_parameters_on(static_cast<int>(axis));
    else
      holders *= planner.mesh()[axis].size;
  }
  if (!rules.memory) return Done{};
  return planner.bound_parameter_memory(rules.memory->low.value_or(0),
                                        rules.memory->high.value_or(1.0 / static_cast<double>(holders)));
}

}  // namespace ordercheck::placing
