// How an item of a transform is written, as the catalogue has it.
#pragma once

#include <string>

#include "stack/transforms.h"

namespace ordercheck {

// "fsdp=N[:reshard=always|never|default]", "hsdp=NxN[...]", "ac[=full|selective][:n=N][:reentrant]". Options of a group
// stand in one bracket: "pp=N[:gpipe|:1f1b|...][:microbatches=N]". The scope, which every item may carry, is left out.
std::string syntax_of(const TransformInfo& transform);

// "reshard=always|never|default", "n=N", "reentrant".
std::string syntax_of(const OptionInfo& option);

}  // namespace ordercheck
