// Reads TOML as settings.
#pragma once

#include "import/settings.h"

namespace ordercheck {

// Accepts any bytes. Errors are one line, "<file>:<line>: ...".
Result<SettingList> read_toml(std::string_view text, const std::string& file);

}  // namespace ordercheck
