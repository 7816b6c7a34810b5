// The module that stands in a checkpointed one's place and recomputes it in backward, as torch's checkpoint_wrapper.
#pragma once

#include "ranks/mechanism/recompute.h"

namespace ordercheck::ranks {

// Wraps every `interval`-th block of the model, the first included.
void checkpoint_blocks(const ModulePtr& model, int interval, const RecomputeOptions& options);

// The older recomputation: forward runs a region without autograd, backward runs it again with autograd and calls backward inside
// backward. The mechanism of torch.utils.checkpoint with use_reentrant=True.
//
// Parameters get their gradients from the inner backward. Only where an input requires a gradient does the region have one: the
// first region of a model gets none from inputs that are no activations.
//
// One rank thread each.

at::Tensor recompute_reentrantly(Region region, const Tensors& inputs, bool preserve_random_state = true);

}  // namespace ordercheck::ranks
