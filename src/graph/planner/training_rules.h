// States the placement rules of a training loop for its model: batch axes split the samples, other axes the last layer's
// output.
//
//                  inputs of samples   other inputs   outputs
//   batch axes     S(0)                R              S(0)
//   other axes     R                   R              S(last dim)
//
// Axes of replicas shard no parameter: with another batch axis that is HSDP.
//
// Source: how torchtitan's knobs become constraints of AutoParallel (torchtitan PR #1349, experiments/auto_parallel).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/planner/placement_planner.h"
#include "stack/stack.h"

namespace ordercheck::placing {

struct TrainingRules {
  std::set<std::string> batch_axes;
  std::set<std::string> replica_axes;  // of the batch axes
  std::vector<bool> has_samples;       // per graph input: whether its first dim is samples
  // The shares of a parameter that a rank may hold. `high` is left out: over all ranks of the other axes as far as possible.
  std::optional<MemoryBound> memory = MemoryBound{.low = 0, .high = {}};
  int prefetched_percent = 100;  // percent that counts of prefetchable redistributions (prefetch.h)
};

// The mesh and the rules of an item with a degree of data-parallel ranks and the options tp, replicas, memory and prefetch.
// `has_samples` is left empty.
struct StatedPlacement {
  DeviceMesh mesh;
  TrainingRules rules;
};
StatedPlacement stated_placement(const Item& item);

// Adds these rules to `planner`, which must have none yet. An error if an input or output cannot be placed as required.
Status state_training_rules(PlacementPlanner& planner, const TrainingRules& rules);

}  // namespace ordercheck::placing
