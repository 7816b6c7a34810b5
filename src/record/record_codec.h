// Encodes records as JSON (schema/record.json). Thread safe.
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "record/graph_record.h"
#include "record/record.h"

namespace ordercheck {

nlohmann::json json_of(const Record& record);

// Parses a record after checking it against schema/record.json; an error is one line.
Result<Record> record_of(const nlohmann::json& value);

// A captured graph as JSON, as in a record (schema/record.json). Thread safe.

nlohmann::json json_of(const GraphNodeRecord& node);
nlohmann::json json_of(const GraphRecord& graph);

// `value` must have passed the schema.
GraphRecord graph_in(const nlohmann::json& value);

// A placement plan as JSON (schema/record.json, definition plan). Thread safe.

nlohmann::json json_of(const PlanRecord& plan);

// `value` must have passed the schema.
PlanRecord plan_in(const nlohmann::json& value);

}  // namespace ordercheck
