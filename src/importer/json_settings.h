// JSON as settings. Comments are skipped, as the readers of DeepSpeed skip them.
#pragma once

#include "importer/settings.h"

namespace ordercheck {

// Any bytes; an error is one line, "<file>:<line>: ...".
Result<SettingList> read_json(std::string_view text, const std::string& file);

}  // namespace ordercheck
