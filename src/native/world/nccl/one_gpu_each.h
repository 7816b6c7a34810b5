// Decides which ranks NCCL can run on which GPUs.
#pragma once

#include <string>

namespace ordercheck::ranks {

// First NCCL version in which two ranks may share a GPU, in NCCL's format: 23003 is 2.30.3.
inline constexpr int kSharesGpusSince = 23003;
// With more than two ranks per GPU, their kernels do not fit at once and wait for each other.
inline constexpr int kMostRanksOfGpu = 2;

// Returns why NCCL cannot run `ranks` ranks on `gpus` GPUs; "" if it can. A pure function.
std::string why_no_nccl_world(int ranks, int gpus, int nccl_version);

// Returns "2.28.9".
std::string print_nccl_version(int version);

inline int gpu_of_rank(int rank, int gpus) { return rank % gpus; }

}  // namespace ordercheck::ranks
