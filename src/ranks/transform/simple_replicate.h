// `simple_replicate`: replicated data parallelism in the graph: each gradient is all-reduced by itself.
//
//   reshard   as in simple_fsdp, with nothing to gather
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform simple_replicate_transform();

}  // namespace ordercheck::ranks
