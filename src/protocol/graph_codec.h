// A captured graph as JSON, as a record holds it (schema/record.json). May be used from any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "parity/graph_record.h"

namespace ordercheck {

nlohmann::json json_of(const GraphNodeRecord& node);
nlohmann::json json_of(const GraphRecord& graph);

// Of what the schema has checked.
GraphRecord graph_in(const nlohmann::json& value);

}  // namespace ordercheck
