// Converts a placement plan to the PlanRecord that a run's record stores (record/graph_record.h).
#pragma once

#include <string>
#include <vector>

#include "graph/planner/placement_planner.h"
#include "record/graph_record.h"

namespace ordercheck::placing {

// `parameters` are the names of the graph's parameters, by index.
PlanRecord plan_record(const PlacementPlanner& planner, const PlacementPlan& plan, const std::vector<std::string>& parameters);

}  // namespace ordercheck::placing
