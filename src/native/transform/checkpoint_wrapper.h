// Provides a wrapper that recomputes a module in backward, like torch's checkpoint_wrapper, and reentrant recomputation.
#pragma once

#include "native/transform/recompute.h"

namespace ordercheck::ranks {

// Wraps every `interval`-th block of the model, starting with the first.
void checkpoint_blocks(const ModulePtr& model, int interval, const RecomputeOptions& options);

// The reentrant mechanism of torch.utils.checkpoint (use_reentrant=True). Forward runs a region without autograd. Backward runs
// it again with autograd and calls backward inside backward.
//
// Parameters get their gradients from the inner backward. It only runs if an input of the region requires a gradient. So
// parameters of a model's first region get no gradient if its inputs are token ids.
//
// Used by one rank thread.

at::Tensor recompute_reentrantly(Region region, const Tensors& inputs, bool preserve_random_state = true);

}  // namespace ordercheck::ranks
