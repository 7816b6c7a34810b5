// Reads the command-line options in a bash script as settings: "--tensor-model-parallel-size 2", anywhere in it, also in an
// array. Runs nothing. A variable has the value of its only plain assignment in the file, or the default in ${NAME:-default}.
// Any other variable stays as written, with its '$'.
#pragma once

#include "import/settings.h"

namespace ordercheck {

struct ShellSettings {
  SettingList certain;   // keys include "--"; an option without a value is a flag
  SettingList doubtful;  // in a condition or loop, or set again to another value, so that they may not apply
};

// Accepts any bytes. Errors are one line, "<file>:<line>: ...".
Result<ShellSettings> read_shell(std::string_view text, const std::string& file);

}  // namespace ordercheck
