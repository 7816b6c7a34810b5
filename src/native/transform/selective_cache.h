// Provides the two dispatch modes of selective checkpointing: one keeps the results of chosen operators while forward runs, the
// other returns them when backward runs the region again. As in torch.utils.checkpoint's create_selective_checkpoint_contexts,
// an operator's n-th call in the second run gets the result of its n-th call in the first.
//
// Used by one rank thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "native/graph/dispatch_mode.h"

namespace ordercheck::ranks {

// Returns true to keep the result of an operator's call number `run` (from 0) within a region.
using KeepPolicy = std::function<bool(const std::string& operator_name, int run)>;

// Returns the mode for forward, which fills a cache, and the mode for the second run, which returns results from it. The caller
// gets a reference to each. The rank counts each result returned from the cache in Counters::operators_kept.
std::pair<DispatchMode*, DispatchMode*> selective_cache(const KeepPolicy& policy);

}  // namespace ordercheck::ranks
