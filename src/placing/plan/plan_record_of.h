// A plan as a record keeps it (parity/graph_record.h).
#pragma once

#include <string>
#include <vector>

#include "parity/graph_record.h"
#include "placing/plan/placement_planner.h"

namespace ordercheck::placing {

// `parameters`: the names of the graph's parameters, by index.
PlanRecord plan_record(const PlacementPlanner& planner, const PlacementPlan& plan, const std::vector<std::string>& parameters);

}  // namespace ordercheck::placing
