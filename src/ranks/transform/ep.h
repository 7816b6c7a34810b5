// `ep`: expert parallelism: the experts of a mixture are spread over ranks that are carved from dp_shard * cp * tp.
//
//   etp    each expert is split over tp too, whose ranks then have the same tokens; 1, or the degree of tp
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform ep_transform();

}  // namespace ordercheck::ranks
