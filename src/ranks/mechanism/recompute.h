// Recomputation: run a region of forward keeping only its inputs, and run it again in backward when what it saved is
// asked for. The mechanism of torch.utils.checkpoint with use_reentrant=False.
//
// Forward: a hook on every tensor that the region saves keeps a placeholder instead. The inputs are saved through an
// autograd function of their own, so that hooks outside the region see them. Backward: the first placeholder asked for
// runs the region again on the saved inputs, its n-th saved tensor filling the n-th placeholder; shape and dtype must be
// those of forward. With early stop the second run ends by an exception once the last placeholder is filled, so
// everything inside a region must be exception safe.
//
// One rank thread each; the region must be a pure function of its inputs and of what it captured.
#pragma once

#include <functional>
#include <utility>

#include "ranks/graph/dispatch_mode.h"
#include "ranks/module/module.h"

namespace ordercheck::ranks {

struct RecomputeOptions {
  bool reentrant = false;  // the older mechanism (checkpoint_wrapper.h), for checkpoint wrappers; it knows none of the others
  bool early_stop = true;
  bool preserve_random_state = true;  // torch's preserve_rng_state
  // Makes the dispatch modes of a region's first and second run, when set; each comes with a reference of the caller's.
  std::function<std::pair<DispatchMode*, DispatchMode*>()> modes;
};

using Region = std::function<at::Tensor(const Tensors&)>;

// The region's output, as if it had been called. Throws in backward when the second run saves other tensors.
at::Tensor recompute_in_backward(Region region, const Tensors& inputs, const RecomputeOptions& options);

}  // namespace ordercheck::ranks
