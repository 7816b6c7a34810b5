#include "ranks/nccl/nccl_world.h"

#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "ranks/comm/watched_offer.h"
#include "ranks/cuda/devices.h"
#include "ranks/nccl/one_gpu_each.h"

namespace ordercheck::ranks {
namespace {

// A watchdog outside ends ranks that wait for ever, and says where they are; c10d's own limit would end the process first.
constexpr std::chrono::hours kNoLimit{24 * 365};

int nccl_version() {
  int version = 0;
  ncclGetVersion(&version);
  return version;
}

int place_in_group(const RankGroup& group, int rank) {
  return static_cast<int>(std::ranges::find(group.ranks, rank) - group.ranks.begin());
}

c10d::ReduceOp nccl_op(Reduction reduction) { return reduction == Reduction::sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX; }

class NcclWork : public c10d::Work {
 public:
  NcclWork(c10::intrusive_ptr<c10d::Work> work, RankState& state, Waiting& waiting, std::string group, std::int64_t number,
           const Offer& offer)
      : work_(std::move(work)), state_(state), waiting_(waiting), group_(std::move(group)), number_(number), offer_(offer) {}

  bool isCompleted() override { return work_->isCompleted(); }
  bool isSuccess() const override { return work_->isSuccess(); }

  bool wait(std::chrono::milliseconds limit) override {
    const FlightSlot place = place_of_wait(state_, offer_.operation, group_, number_, shape_of(offer_));
    FlightRecorder* flight = state_.flight();
    if (flight) flight->at_collective(state_.rank, place.operation, place.group, place.sequence, place.shape);
    waiting_.begin();
    const bool done = work_->wait(limit);
    // What c10d's wait makes wait is the current stream; the rank is to wait itself.
    c10::cuda::getCurrentCUDAStream().synchronize();
    waiting_.end();
    if (flight) flight->left_collective(state_.rank);
    return done;
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  RankState& state_;
  Waiting& waiting_;
  std::string group_;
  std::int64_t number_;
  Offer offer_;  // keeps what NCCL reads and writes
};

class NcclBackend : public ProcessBackend {
 public:
  NcclBackend(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store, RankState& rank, Waiting& waiting)
      : ProcessBackend(group.name, place_in_group(group, rank.rank), static_cast<int>(group.ranks.size())),
        nccl_(connect(group, store, rank.rank)),
        state_(rank),
        waiting_(waiting) {}

  void meet() override { nccl_->barrier(on_this_gpu())->wait(); }
  const std::string getBackendName() const override { return "ordercheck_nccl"; }

 private:
  static c10::intrusive_ptr<c10d::Backend> connect(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                                                   int rank) {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = kNoLimit;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place_in_group(group, rank), static_cast<int>(group.ranks.size()),
                                                       std::move(options));
  }

  static c10d::BarrierOptions on_this_gpu() {
    c10d::BarrierOptions options;
    options.device = at::Device(at::kCUDA, c10::cuda::current_device());
    return options;
  }

  WorkPtr issue(Offer offer, const Channel& channel) override {
    const std::int64_t number = issued_[channel]++;
    if (!begin_call(offer, channel, group(), state_)) return skipped_call();
    WorkPtr work = start(offer, channel);
    return c10::make_intrusive<NcclWork>(std::move(work), state_, waiting_, group(), number, offer);
  }

  WorkPtr start(Offer& offer, const Channel& channel) {
    switch (offer.operation) {
      case Operation::all_reduce: {
        c10d::AllreduceCoalescedOptions options;
        options.reduceOp = nccl_op(offer.reduction);
        return offer.inputs.size() == 1 ? nccl_->allreduce(offer.inputs, options)
                                        : nccl_->allreduce_coalesced(offer.inputs, options);
      }
      case Operation::reduce_scatter: {
        c10d::ReduceScatterOptions options;
        options.reduceOp = nccl_op(offer.reduction);
        return nccl_->reduce_scatter_tensor_coalesced(offer.outputs, offer.inputs, options);
      }
      case Operation::all_gather: return nccl_->allgather_into_tensor_coalesced(offer.outputs, offer.inputs);
      case Operation::broadcast: {
        c10d::BroadcastOptions options;
        options.rootRank = offer.root;
        return nccl_->broadcast(offer.inputs, options);
      }
      case Operation::all_to_all:
        return nccl_->alltoall_base(offer.outputs[0], offer.inputs[0], offer.output_splits, offer.input_splits);
      case Operation::barrier: return nccl_->barrier(on_this_gpu());
      case Operation::send: return nccl_->send(offer.inputs, channel.destination, channel.tag);
      case Operation::recv: return nccl_->recv(offer.outputs, channel.source, channel.tag);
    }
    return {};
  }

  c10::intrusive_ptr<c10d::Backend> nccl_;
  RankState& state_;
  Waiting& waiting_;
  std::map<Channel, std::int64_t> issued_;
};

}  // namespace

std::string why_no_nccl_here(int ranks) {
  const Devices& here = devices_here();
  if (here.gpus == 0) return "world nccl: " + here.absent;
  std::string why = why_no_nccl_world(ranks, here.gpus, nccl_version());
  if (why.empty() && ranks > here.gpus)
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);  // read when NCCL is first asked for something
  return why;
}

c10::intrusive_ptr<ProcessBackend> make_nccl_backend(const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                                                     RankState& rank, Waiting& waiting) {
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(gpu_of_rank(rank.rank, devices_here().gpus)));
  return c10::make_intrusive<NcclBackend>(group, store, rank, waiting);
}

}  // namespace ordercheck::ranks
