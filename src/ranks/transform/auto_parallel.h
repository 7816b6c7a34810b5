// Automatic placement (AutoParallel): an integer program decides where every value of the traced model is, over the ranks that split the
// batch and those of its option `tp`.
//
// After meta-pytorch/autoparallel as torchtitan's PR #1349 uses it: samples split over the data-parallel ranks, logits over those of tp;
// parameters over all of them. What comes out is data parallel, tensor parallel, or both, as costs are least. The call is captured, as
// AutoParallel's module is compiled.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform auto_parallel_transform();

}  // namespace ordercheck::ranks
