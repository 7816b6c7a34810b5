// States the placement rules of a training loop for its model: batch axes split the samples, other axes the last layer's
// output.
//
//                  inputs of samples   other inputs   outputs
//   batch axes     S(0)                R              S(0)
//   other axes     R                   R              S(last dim)
//
// Source: how torchtitan's knobs become constraints of AutoParallel (torchtitan PR #1349, experiments/auto_parallel).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/planner/placement_planner.h"

namespace ordercheck::placing {

struct TrainingRules {
  std::set<std::string> batch_axes;
  std::vector<bool> has_samples;  // per graph input: whether its first dim is samples
  // Shards each parameter over all ranks as far as possible; false: no bound on a rank's memory.
  bool bounds_memory = true;
  int prefetched_percent = 100;  // percent that counts of prefetchable redistributions (prefetch.h)
};

// Adds these rules to `planner`, which must have none yet. An error if an input or output cannot be placed as required.
Status state_training_rules(PlacementPlanner& planner, const TrainingRules& rules);

}  // namespace ordercheck::placing
