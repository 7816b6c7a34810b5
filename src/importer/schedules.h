// Pipeline schedules by the names of torch.distributed.pipelining, as torchtitan and NeMo AutoModel take them.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

// The option of pp: ":1f1b" of "1F1B"; "" of a schedule that pp has no word for.
std::string schedule_option(std::string_view name);

}  // namespace ordercheck
