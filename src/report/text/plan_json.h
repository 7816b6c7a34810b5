// A plan of placements as JSON.
#pragma once

#include <string>

#include "parity/plan_record.h"

namespace ordercheck {

std::string render_plan_json(const PlanRecord& plan, const std::string& stack);

}  // namespace ordercheck
