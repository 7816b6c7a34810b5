// What a world of processes over NCCL is made of: a rank a GPU, or two where NCCL allows that.
#pragma once

#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "ranks/comm/process_backend.h"

namespace ordercheck::ranks {

// Why this program has no such world for `ranks` ranks on this machine, in one line, or "". Asks the driver as devices_here() does.
std::string why_no_nccl_here(int ranks);

// The backend of one rank in one group: as GlooBackend, but over NCCL and for tensors of the rank's GPU, which it makes the process's
// current one. A wait ends when the GPU has done what was waited for, so that the flight file says where a rank is that waits for
// ever. Throws in a program that was built without CUDA. A MakeBackend of ranks/comm/world.h.
c10::intrusive_ptr<ProcessBackend> make_nccl_backend(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                                                     RankState& rank, Waiting& waiting);

}  // namespace ordercheck::ranks
