// Provides a process world over NCCL: a rank per GPU, or two if NCCL supports it.
#pragma once

#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "native/world/process_backend.h"

namespace ordercheck::ranks {

// Returns why NCCL cannot run `ranks` ranks on this machine, in one line; "" if it can. Queries the driver in a child process,
// as devices_here() does.
std::string why_no_nccl_here(int ranks);

// Creates one rank's backend in one group, like GlooBackend but over NCCL and for the rank's GPU, which becomes the current
// device. A wait ends when the GPU has finished, so that the flight file shows where a rank hangs. A MakeBackend of
// native/world/world.h. Throws in a build without CUDA.
c10::intrusive_ptr<ProcessBackend> make_nccl_backend(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                                                     RankState& rank, Waiting& waiting);

}  // namespace ordercheck::ranks
