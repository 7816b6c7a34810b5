// Renders logic-free templates (mustache): the template has the words, the data has the values.
//
//   {{name}} escaped for a table cell: bars are escaped, line breaks become spaces       {{{name}}} unescaped
//   {{#name}}...{{/name}} per element, or once if a text is not empty; {{^name}}...{{/name}} if it is empty or false
//   {{#has_name}}...{{/has_name}} once if the array `name` is not empty: the head of its table
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace ordercheck {

// `data` is an object of texts, booleans, and arrays of texts or such objects. `path` names the template in errors.
Result<std::string> render_template(std::string_view text, const nlohmann::json& data, const std::string& path);

}  // namespace ordercheck
