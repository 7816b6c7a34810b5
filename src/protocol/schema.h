// The schemas of the protocol's messages, embedded in the program, and the check of a value against one.
// May be used from any thread.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace ordercheck {

// `answer` is the envelope of a record message, `record` the record alone.
enum class Schema { hello, run, progress, answer, record };

// The text of schema/<name>.json.
const char* text_of(Schema schema);

// An error names the place, what was expected and what stood there: "record: at steps[0].loss[1]: ...".
Status check_schema(Schema schema, const nlohmann::json& value);

// JSON as one line of text: what is accepted and what is written. Stricter than JSON where a reader could be misled.
// May be used from any thread.

// One object. Refused: anything behind it, a name that stands twice in one object, nesting deeper than 16, an integer
// beyond int64, a number that is no finite float64, bytes that are no UTF-8.
Result<nlohmann::json> parse_object(std::string_view text);

// One line; bytes that are no UTF-8 are written as U+FFFD.
std::string to_text(const nlohmann::json& value);

// At most 120 characters of a text for a message, in quotes, control and non-ASCII bytes as \xNN.
std::string excerpt(std::string_view text);

}  // namespace ordercheck
