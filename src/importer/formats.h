// One function a format, each in a file of its own, whose header says what it was read from. import.h finds the format of a file.
#pragma once

#include <functional>
#include <string>

#include "importer/imported.h"
#include "importer/settings.h"

namespace ordercheck {

// Reads a file that another names, by the name that stands there.
using ReadBeside = std::function<Result<std::string>(const std::string& name)>;

Imported accelerate_stack(SettingList settings, const ReadBeside& read);
Imported automodel_stack(SettingList settings, const ReadBeside& read);
Imported axolotl_stack(SettingList settings, const ReadBeside& read);
Imported deepspeed_stack(SettingList settings, const ReadBeside& read);
Imported prime_rl_stack(SettingList settings, const ReadBeside& read);
Imported verl_stack(SettingList settings, const ReadBeside& read);
Imported torchtitan_stack(SettingList settings, const ReadBeside& read);

}  // namespace ordercheck
