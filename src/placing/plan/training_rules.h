// The rules that a training loop states for the model that it calls: samples are split over some mesh axes, what the last layer makes
// over the others.
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

#include "placing/plan/placement_planner.h"

namespace ordercheck::placing {

struct TrainingRules {
  std::set<std::string> batch_axes;
  std::vector<bool> has_samples;  // of each input of the graph: whether its first dim is that of samples
  // Each parameter over all ranks, as far as it can be cut. Without, nothing bounds what a rank holds.
  bool bounds_memory = true;
  int prefetched_percent = 100;  // how much of a redistribution counts that can be made ahead (prefetch.h), 0 to 100
};

// To a planner without rules. An error where an input or output cannot be placed so.
Status state_training_rules(PlacementPlanner& planner, const TrainingRules& rules);

}  // namespace ordercheck::placing
