// Reads YAML as settings, like PyYAML: unquoted yes, no, on and off are flags. Reads only the first of several documents. An
// alias expands to its anchor's settings, at the line of the alias.
#pragma once

#include "import/settings.h"

namespace ordercheck {

// Accepts any bytes. Errors are one line, "<file>:<line>: ...".
Result<SettingList> read_yaml(std::string_view text, const std::string& file);

}  // namespace ordercheck
