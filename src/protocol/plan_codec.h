// A plan of placements as JSON (schema/record.json, definition plan). May be used from any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "parity/plan_record.h"

namespace ordercheck {

nlohmann::json json_of(const PlanRecord& plan);

// Of what the schema has checked.
PlanRecord plan_in(const nlohmann::json& value);

}  // namespace ordercheck
