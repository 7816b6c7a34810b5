// `ddp`: DistributedDataParallel over dp_replicate.
//
//   no_sync        gradients of all microbatches but a step's last stay local, as under model.no_sync()
//   device_mesh    it is told its axis of the mesh. Its reducer takes the pieces of other axes as they are, told or not
//   bucket_kib     a bucket's cap; the default is 25600, the first bucket's at most 1024, as in torch
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform ddp_transform();

}  // namespace ordercheck::ranks
