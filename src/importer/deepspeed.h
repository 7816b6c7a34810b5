// DeepSpeed's JSON: edaa72212 (2026-08-22), runtime/config.py, runtime/zero/config.py, runtime/tensor_parallel/config.py,
// module_inject/auto_ep_config.py, compile/config.py. Also what other projects' files say of DeepSpeed, by the same keys.
#pragma once

#include <string_view>
#include <vector>

#include "importer/formats.h"
#include "importer/reading.h"

namespace ordercheck {

const std::vector<Key>& deepspeed_keys();
const std::vector<std::string_view>& deepspeed_sections();

// ZeRO, AutoTP, AutoEP and the dtype, of settings that deepspeed_keys() has gone through. `cast_by_others` is what the launcher casts to
// where the file says "auto": bf16, fp16 or "".
void add_deepspeed(Reading& reading, const std::string& cast_by_others = "");

// The settings of the file that another names. Where it cannot be read, `reading` gets the reason as not understood.
std::optional<SettingList> deepspeed_file(const Setting& names, const ReadBeside& read,
                                          std::vector<NotUnderstood>& not_understood);

}  // namespace ordercheck
