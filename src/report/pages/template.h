// Logic-free templates (mustache): a template holds the words, the data holds what is said.
//
//   {{name}} in a table's cell: bars are escaped, line breaks become blanks       {{{name}}} as it is
//   {{#name}}...{{/name}} once for each element, or once where a text is not empty; {{^name}}...{{/name}} where there is none
//   {{#has_name}}...{{/has_name}} once where the array `name` is not empty: the head of its table
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace ordercheck {

// `data` is an object of texts, booleans, and arrays of such objects. `path` names the template in errors.
Result<std::string> render_template(std::string_view text, const nlohmann::json& data, const std::string& path);

}  // namespace ordercheck
