// The two dispatch modes of selective checkpointing: one keeps, in the first run, what chosen operators return; the other
// hands it out, in the second run, in place of running them. As torch.utils.checkpoint's
// create_selective_checkpoint_contexts, the n-th run of an operator gets what its n-th run returned.
//
// One rank thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ranks/graph/dispatch_mode.h"

namespace ordercheck::ranks {

// Whether the `run`-th run (from 0) of an operator within a region is kept.
using KeepPolicy = std::function<bool(const std::string& operator_name, int run)>;

// A caching mode and the mode that serves from its cache; each comes with a reference of the caller's. Of what is served,
// `operators_kept` is counted with the rank.
std::pair<DispatchMode*, DispatchMode*> selective_cache(const KeepPolicy& policy);

}  // namespace ordercheck::ranks
