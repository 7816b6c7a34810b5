// `simple_hsdp`: the same with replicated shards: over dp_shard within, over dp_replicate across.
//
//   reshard   as in simple_fsdp
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform simple_hsdp_transform();

}  // namespace ordercheck::ranks
