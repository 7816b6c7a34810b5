// `cp`: context parallelism: each rank has a piece of every sequence, and attention sees the keys and values of all.
//
//   all_gather   keys and values are gathered before attention, their gradients scattered behind it: what no option means
//   ring         they go from rank to rank
//   balance      head_tail: a piece is a chunk from the front and one from the back; a contiguous one otherwise
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform cp_transform();

}  // namespace ordercheck::ranks
