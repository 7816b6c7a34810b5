// The options of a command in a bash script, as settings: "--tensor-model-parallel-size 2", wherever it stands, also in an array. Nothing
// is run. A variable has the value of its one plain assignment in the file, or the default of ${NAME:-default}; any other stays as it
// stands, with its '$'.
#pragma once

#include "importer/settings.h"

namespace ordercheck {

struct ShellSettings {
  SettingList certain;  // keys with their "--"; an option without a value is a flag
  SettingList
      doubtful;  // under a condition or in a loop, or stated again with another value: whether they hold, a reader cannot know
};

// Any bytes; an error is one line, "<file>:<line>: ...".
Result<ShellSettings> read_shell(std::string_view text, const std::string& file);

}  // namespace ordercheck
