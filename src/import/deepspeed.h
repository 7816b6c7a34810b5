// Reads DeepSpeed's JSON: edaa72212 (2026-08-22), runtime/config.py, runtime/zero/config.py, runtime/tensor_parallel/config.py,
// module_inject/auto_ep_config.py, compile/config.py. Also reads the DeepSpeed settings in other projects' files, by the same
// keys.
#pragma once

#include <string_view>
#include <vector>

#include "import/formats.h"
#include "import/reading.h"

namespace ordercheck {

const std::vector<Key>& deepspeed_keys();
const std::vector<std::string_view>& deepspeed_sections();

// Adds the items for ZeRO, AutoTP, AutoEP and the dtype to `reading`, whose settings were read with deepspeed_keys().
// `cast_by_others`: the dtype that the launcher puts in place of "auto": bf16, fp16 or "".
void add_deepspeed(Reading& reading, const std::string& cast_by_others = "");

// Reads the DeepSpeed JSON file whose path is the value of the setting `names`. If it cannot be read, adds the reason to
// `not_understood` and returns nullopt.
std::optional<SettingList> deepspeed_file(const Setting& names, const ReadBeside& read,
                                          std::vector<NotUnderstood>& not_understood);

}  // namespace ordercheck
