// A case as JSON (the definition `case` of schema/run.json): its line of text, and the same spelled out with what the
// catalogue says of each transform and axis, so that no engine parses the notation or keeps a table of its own. May be used
// from any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "stack/case.h"

namespace ordercheck {

nlohmann::json json_of(const Case& subject);

// Reads the text and refuses the value when what is spelled out says something else. `value` has passed the schema.
Result<Case> case_of(const nlohmann::json& value);

}  // namespace ordercheck
