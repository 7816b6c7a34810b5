// The schemas of the protocol's messages, embedded in the program, and the check of a value against one.
// May be used from any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace ordercheck {

// `answer` is the envelope of a record message, `record` the record alone.
enum class Schema { hello, run, progress, answer, record };

// The text of schema/<name>.json.
const char* text_of(Schema schema);

// An error names the place, what was expected and what stood there: "record: at steps[0].loss[1]: ...".
Status check_schema(Schema schema, const nlohmann::json& value);

}  // namespace ordercheck
