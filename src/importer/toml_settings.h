// TOML as settings.
#pragma once

#include "importer/settings.h"

namespace ordercheck {

// Any bytes; an error is one line, "<file>:<line>: ...".
Result<SettingList> read_toml(std::string_view text, const std::string& file);

}  // namespace ordercheck
