// Which ranks NCCL takes on which GPUs.
#pragma once

#include <string>

namespace ordercheck::ranks {

// NCCL's own way to write a version: 23003 is 2.30.3.
inline constexpr int kSharesGpusSince = 23003;
// More than two ranks of one GPU wait for each other's kernels, which have no room.
inline constexpr int kMostRanksOfGpu = 2;

// Why `ranks` ranks have no world of NCCL on `gpus` GPUs, or "". Of the pure numbers alone: asks nothing.
std::string why_no_nccl_world(int ranks, int gpus, int nccl_version);

// "2.28.9"
std::string print_nccl_version(int version);

inline int gpu_of_rank(int rank, int gpus) { return rank % gpus; }

}  // namespace ordercheck::ranks
