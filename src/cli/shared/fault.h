// A fault as it is written on a command line.
#pragma once

#include <string_view>

#include "base/result.h"
#include "protocol/messages.h"

namespace ordercheck::cli {

// kind:rank:module[:phase|:sequence]   "hang:1:layers.0.attention:backward", "skip_collective:0::7"
Result<Fault> parse_fault(std::string_view text);

}  // namespace ordercheck::cli
