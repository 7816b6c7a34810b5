// Recomputes a region of forward: keeps only its inputs, and runs it again when backward needs its saved tensors. The mechanism
// of torch.utils.checkpoint with use_reentrant=False.
//
// Forward: a hook replaces every tensor that the region saves by a placeholder. An autograd function saves the inputs, so that
// outer hooks see them. Backward: the first unpacked placeholder runs the region again on the saved inputs. Its n-th saved
// tensor fills the n-th placeholder; shape and dtype must match forward's. With early stop, an exception ends the second run
// after the last placeholder is filled, so everything in a region must be exception safe.
//
// Used by one rank thread. The region must be a pure function of its inputs and captures.
#pragma once

#include <functional>
#include <utility>

#include "native/graph/dispatch_mode.h"
#include "native/module/module.h"

namespace ordercheck::ranks {

struct RecomputeOptions {
  bool reentrant = false;  // torch's use_reentrant=True (checkpoint_wrapper.h); ignores early_stop and modes
  bool early_stop = true;
  bool preserve_random_state = true;  // torch's preserve_rng_state
  // If set, returns two dispatch modes, one pushed during the region's first run (forward) and one during its second (in
  // backward). The caller gets a reference to each.
  std::function<std::pair<DispatchMode*, DispatchMode*>()> modes;
};

using Region = std::function<at::Tensor(const Tensors&)>;

// Returns region(inputs), with the same gradients as a direct call. Backward throws if the second run saves other tensors for
// backward than the first.
at::Tensor recompute_in_backward(Region region, const Tensors& inputs, const RecomputeOptions& options);

}  // namespace ordercheck::ranks
