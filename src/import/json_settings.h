// Reads JSON as settings. Skips comments, as DeepSpeed's readers do.
#pragma once

#include "import/settings.h"

namespace ordercheck {

// Accepts any bytes. Errors are one line, "<file>:<line>: ...".
Result<SettingList> read_json(std::string_view text, const std::string& file);

}  // namespace ordercheck
