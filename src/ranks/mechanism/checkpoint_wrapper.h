// The module that stands in a checkpointed one's place and recomputes it in backward, as torch's checkpoint_wrapper.
#pragma once

#include "ranks/mechanism/recompute.h"

namespace ordercheck::ranks {

// Wraps every `interval`-th block of the model, the first included.
void checkpoint_blocks(const ModulePtr& model, int interval, const RecomputeOptions& options);

}  // namespace ordercheck::ranks
