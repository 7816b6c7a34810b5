// A record as JSON (schema/record.json). May be used from any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "parity/graph_record.h"
#include "parity/record.h"

namespace ordercheck {

nlohmann::json json_of(const Record& record);

// Checked against the schema; an error is one line.
Result<Record> record_of(const nlohmann::json& value);

// A captured graph as JSON, as a record holds it (schema/record.json). May be used from any thread.

nlohmann::json json_of(const GraphNodeRecord& node);
nlohmann::json json_of(const GraphRecord& graph);

// Of what the schema has checked.
GraphRecord graph_in(const nlohmann::json& value);

// A plan of placements as JSON (schema/record.json, definition plan). May be used from any thread.

nlohmann::json json_of(const PlanRecord& plan);

// Of what the schema has checked.
PlanRecord plan_in(const nlohmann::json& value);

}  // namespace ordercheck
