#include "native/world/nccl/one_gpu_each.h"

#include <fmt/format.h>

namespace ordercheck::ranks {

std::string print_nccl_version(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

std::string why_no_nccl_world(int ranks, int gpus, int nccl_version) {
  if (ranks <= gpus) return "";
  if (nccl_version < kSharesGpusSince)
    return fmt::format("world nccl: {} ranks, {} found; NCCL {} takes one rank a GPU, several need {} or newer", ranks,
                       gpus == 1 ? "1 GPU" : fmt::format("{} GPUs", gpus), print_nccl_version(nccl_version),
                       print_nccl_version(kSharesGpusSince));
  if (ranks > gpus * kMostRanksOfGpu)
    return fmt::format("world nccl: {} ranks, {} found; at most {} ranks share a GPU", ranks,
                       gpus == 1 ? "1 GPU" : fmt::format("{} GPUs", gpus), kMostRanksOfGpu);
  return "";
}

}  // namespace ordercheck::ranks
