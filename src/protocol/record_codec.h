// A record as JSON (schema/record.json). May be used from any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "parity/record.h"

namespace ordercheck {

nlohmann::json json_of(const Record& record);

// Checked against the schema; an error is one line.
Result<Record> record_of(const nlohmann::json& value);

}  // namespace ordercheck
