// YAML as settings, as PyYAML reads it: yes, no, on and off are flags where they stand without quotes. Of a file of several documents
// the first is read. An alias stands for what its anchor holds; its settings have the lines of the alias.
#pragma once

#include "importer/settings.h"

namespace ordercheck {

// Any bytes; an error is one line, "<file>:<line>: ...".
Result<SettingList> read_yaml(std::string_view text, const std::string& file);

}  // namespace ordercheck
