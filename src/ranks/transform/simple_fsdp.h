// `simple_fsdp`: fully sharded data parallelism in the graph: parameters gather themselves where they are read.
//
//   reshard   whether what forward gathered is gathered again in backward. A captured graph is told; without one there is nobody to
//             tell
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform simple_fsdp_transform();

}  // namespace ordercheck::ranks
