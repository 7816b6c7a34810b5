// `fsdp`: fully sharded data parallelism of each block, then of the rest of the model.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform fsdp_transform();

}  // namespace ordercheck::ranks
