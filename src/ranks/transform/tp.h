// `tp`: tensor parallelism by a plan of module paths, with sequence parallelism unless `sp=off`.
//
//   plan=blocks     embedding, last norm and output are left whole; the stream between blocks is whole, too
//   rest=plain      what that leaves stays as it was; without it, it becomes whole parameters that are placed on the axis
//   loss_parallel   logits stay split over the vocabulary: with an output that is split they always do here
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform tp_transform();

}  // namespace ordercheck::ranks
