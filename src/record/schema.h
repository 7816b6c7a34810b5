// Embeds the JSON schemas of the messages between ordercheck and an engine's worker, and checks messages against them. Thread
// safe.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace ordercheck {

// `answer` is the envelope of a record message, `record` the record itself.
enum class Schema { hello, run, progress, answer, record };

// The text of schema/<name>.json.
const char* text_of(Schema schema);

// Errors name place, expected and actual value: "record: at steps[0].loss[1]: ...".
Status check_schema(Schema schema, const nlohmann::json& value);

// Parses and prints messages, one JSON object per line. Thread safe.

// Parses one object. Rejects text after it, duplicate names, nesting deeper than 16, integers beyond int64, numbers that are
// not a finite float64, and invalid UTF-8.
Result<nlohmann::json> parse_object(std::string_view text);

// One line; invalid UTF-8 becomes U+FFFD.
std::string to_text(const nlohmann::json& value);

// At most 120 characters of a text for a message, in quotes; control and non-ASCII bytes as \xNN.
std::string excerpt(std::string_view text);

}  // namespace ordercheck
