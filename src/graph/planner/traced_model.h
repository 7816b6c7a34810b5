// Plans the placements of a model that was traced without ranks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "graph/planner/training_rules.h"
#include "record/graph_record.h"

namespace ordercheck::placing {

// The forward and backward of one device. Lists go by parameter and by input of the graph.
struct TracedModel {
  GraphRecord graph;
  std::vector<std::string> parameters;
  std::vector<bool> has_samples;  // whether the input's first dim is samples
};

// The plan with the least cost. An error if the graph cannot be placed, or if the rules allow no plan.
Result<PlanRecord> plan_of(const TracedModel& model, const StatedPlacement& stated, const Machine& machine);

}  // namespace ordercheck::placing
