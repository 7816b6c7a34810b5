#include "ranks/comm/gloo_backend.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "ranks/comm/watched_offer.h"

namespace ordercheck::ranks {
namespace {

// A watchdog outside ends ranks that wait for ever, and says where they are; Gloo's own limit would only say that time is up.
constexpr std::chrono::hours kNoLimit{24 * 365};

// Longer than it takes a parent to end its ranks when one of them died, or a kernel to end them when the parent did.
constexpr std::chrono::milliseconds kParting{500};

int place_in(const RankGroup& group, int rank) {
  return static_cast<int>(std::ranges::find(group.ranks, rank) - group.ranks.begin());
}

c10d::ReduceOp reduce_op_of(Reduction reduction) {
  return reduction == Reduction::sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
}

c10::intrusive_ptr<c10d::Backend> connect(const RankGroup& group, const MeetingPlace& meeting, int rank) {
  const int size = static_cast<int>(group.ranks.size());
  // Several groups have one name, of which a rank is in one: with their first rank it is this one's alone.
  const std::string name = group.name + "." + std::to_string(group.ranks.front());
  static const auto device = meeting.interface.empty() ? c10d::ProcessGroupGloo::createDeviceForHostname(meeting.address)
                                                       : c10d::ProcessGroupGloo::createDeviceForInterface(meeting.interface);
  auto options = c10d::ProcessGroupGloo::Options::create(kNoLimit);
  options->devices.push_back(device);
  return c10::make_intrusive<c10d::ProcessGroupGloo>(meeting.store_of(name, size), place_in(group, rank), size,
                                                     std::move(options));
}

class GlooWork : public c10d::Work {
 public:
  GlooWork(c10::intrusive_ptr<c10d::Work> work, RankState& state, Waiting& waiting, Operation operation, std::string group,
           std::int64_t number, const Offer& offer)
      : work_(std::move(work)),
        state_(state),
        waiting_(waiting),
        operation_(operation),
        group_(std::move(group)),
        number_(number),
        offer_(offer) {}

  bool isCompleted() override { return work_->isCompleted(); }
  bool isSuccess() const override { return work_->isSuccess(); }

  bool wait(std::chrono::milliseconds limit) override {
    const FlightSlot place = place_of_wait(state_, operation_, group_, number_, shape_of(offer_));
    FlightRecorder* flight = state_.flight();
    if (flight) flight->at_collective(state_.rank, place.operation, place.group, place.sequence, place.shape);
    waiting_.begin();
    bool done = false;
    try {
      done = work_->wait(limit);
    } catch (...) {
      // What a rank gets whose peer's process is gone, and with it this world, whose end is under way: until then the flight file is to
      // say where this one waited, as if it waited still.
      std::this_thread::sleep_for(kParting);
      throw;
    }
    waiting_.end();
    if (flight) flight->left_collective(state_.rank);
    return done;
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  RankState& state_;
  Waiting& waiting_;
  Operation operation_;
  std::string group_;
  std::int64_t number_;
  Offer offer_;  // keeps what Gloo reads and writes
};

}  // namespace

GlooBackend::GlooBackend(const RankGroup& group, const MeetingPlace& meeting, RankState& state, Waiting& waiting)
    : ProcessBackend(group.name, place_in(group, state.rank), static_cast<int>(group.ranks.size())),
      gloo_(connect(group, meeting, state.rank)),
      state_(state),
      waiting_(waiting) {}

GlooBackend::WorkPtr GlooBackend::issue(Offer offer, const Channel& channel) {
  const std::int64_t number = issued_[channel]++;
  if (!begin_call(offer, channel, group(), state_)) return skipped_call();
  WorkPtr work = start(offer, channel);
  return c10::make_intrusive<GlooWork>(std::move(work), state_, waiting_, offer.operation, group(), number, offer);
}

GlooBackend::WorkPtr GlooBackend::start(Offer& offer, const Channel& channel) {
  switch (offer.operation) {
    case Operation::all_reduce: {
      // Several tensors of its plain call would be copies of one to Gloo, and be added to each other.
      c10d::AllreduceCoalescedOptions options;
      options.reduceOp = reduce_op_of(offer.reduction);
      return offer.inputs.size() == 1 ? gloo_->allreduce(offer.inputs, options)
                                      : gloo_->allreduce_coalesced(offer.inputs, options);
    }
    case Operation::reduce_scatter: {
      c10d::ReduceScatterOptions options;
      options.reduceOp = reduce_op_of(offer.reduction);
      return gloo_->reduce_scatter_tensor_coalesced(offer.outputs, offer.inputs, options);
    }
    case Operation::all_gather: return gloo_->allgather_into_tensor_coalesced(offer.outputs, offer.inputs);
    case Operation::broadcast: {
      c10d::BroadcastOptions options;
      options.rootRank = offer.root;
      return gloo_->broadcast(offer.inputs, options);
    }
    case Operation::all_to_all:
      return gloo_->alltoall_base(offer.outputs[0], offer.inputs[0], offer.output_splits, offer.input_splits);
    case Operation::barrier: return gloo_->barrier(c10d::BarrierOptions());
    case Operation::send: return gloo_->send(offer.inputs, channel.destination, channel.tag);
    case Operation::recv: return gloo_->recv(offer.outputs, channel.source, channel.tag);
  }
  return {};
}

}  // namespace ordercheck::ranks
