// Declares one reader function per format. Each converts a project's settings to a stack; the comment at the top of its source
// names the upstream files that define the settings. import.h detects the format.
#pragma once

#include <functional>
#include <string>

#include "import/imported.h"
#include "import/settings.h"

namespace ordercheck {

// Reads a file that the configuration refers to, by the name written there.
using ReadBeside = std::function<Result<std::string>(const std::string& name)>;

Imported accelerate_stack(SettingList settings, const ReadBeside& read);
Imported automodel_stack(SettingList settings, const ReadBeside& read);
Imported axolotl_stack(SettingList settings, const ReadBeside& read);
Imported deepspeed_stack(SettingList settings, const ReadBeside& read);
Imported prime_rl_stack(SettingList settings, const ReadBeside& read);
Imported verl_stack(SettingList settings, const ReadBeside& read);
Imported torchtitan_stack(SettingList settings, const ReadBeside& read);

}  // namespace ordercheck
