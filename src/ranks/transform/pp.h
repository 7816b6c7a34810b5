// `pp`: pipeline parallelism: the model is cut into stages, and each rank keeps its own.
//
//   gpipe, 1f1b, interleaved, zero_bubble, zbv, dualpipev   the schedule; 1f1b by default. interleaved, zbv and dualpipev put two
//                  stages on a rank
//   microbatches   how many a step is cut into; by default as many as it accumulates
//   cut            copy (the default): a deep copy of the model is cut, as in torchtitan; in_place: the model itself
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform pp_transform();

}  // namespace ordercheck::ranks
