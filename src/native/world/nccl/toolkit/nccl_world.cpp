#include "native/world/nccl/nccl_world.h"

#include <nccl.h>

#include <cstdlib>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "native/arith/cuda/devices.h"
#include "native/world/nccl/one_gpu_each.h"

namespace ordercheck::ranks {
namespace {

int nccl_version() {
  int version = 0;
  ncclGetVersion(&version);
  return version;
}

class NcclBackend : public ProcessBackend {
 public:
  NcclBackend(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store, RankState& rank, Waiting& waiting)
      : ProcessBackend(group, connect(group, store, rank.rank), rank, waiting) {}

  const std::string getBackendName() const override { return "ordercheck_nccl"; }

  // c10d's wait() only blocks the current stream; here the rank itself must wait.
  void settle(const WorkPtr&) override { c10::cuda::getCurrentCUDAStream().synchronize(); }

 protected:
  c10d::BarrierOptions barrier_options() const override {
    c10d::BarrierOptions options;
    options.device = at::Device(at::kCUDA, c10::cuda::current_device());
    return options;
  }

 private:
  static c10::intrusive_ptr<c10d::Backend> connect(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                                                   int rank) {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = kNoLimit;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place_in(group, rank), static_cast<int>(group.ranks.size()),
                                                       std::move(options));
  }
};

}  // namespace

std::string why_no_nccl_here(int ranks) {
  const Devices& here = devices_here();
  if (here.gpus == 0) return "world nccl: " + here.absent;
  std::string why = why_no_nccl_world(ranks, here.gpus, nccl_version());
  if (why.empty() && ranks > here.gpus)
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);  // set it before the first use of NCCL, which reads it
  return why;
}

c10::intrusive_ptr<ProcessBackend> make_nccl_backend(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                                                     RankState& rank, Waiting& waiting) {
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(gpu_of_rank(rank.rank, devices_here().gpus)));
  return c10::make_intrusive<NcclBackend>(group, store, rank, waiting);
}

}  // namespace ordercheck::ranks
