// `hsdp`: sharded data parallelism whose shards are replicated: over dp_shard within, over dp_replicate across.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform hsdp_transform();

}  // namespace ordercheck::ranks
