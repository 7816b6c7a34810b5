#include "native/world/process_backend.h"

#include <algorithm>
#include <thread>

#include "native/world/rank_backend.h"

namespace ordercheck::ranks {
namespace {

// How long a rank stays alive after its peer's process died. Longer than the parent needs to end all ranks, or the kernel after
// the parent died.
constexpr std::chrono::milliseconds kParting{500};

c10d::ReduceOp reduce_op_of(Reduction reduction) {
  return reduction == Reduction::sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
}

class ProcessWork : public c10d::Work {
 public:
  ProcessWork(c10::intrusive_ptr<c10d::Work> work, ProcessBackend& backend, RankState& state, Waiting& waiting,
              std::string group, std::int64_t number, const Offer& offer)
      : work_(std::move(work)),
        backend_(backend),
        state_(state),
        waiting_(waiting),
        group_(std::move(group)),
        number_(number),
        offer_(offer) {}

  bool isCompleted() override { return work_->isCompleted(); }
  bool isSuccess() const override { return work_->isSuccess(); }

  bool wait(std::chrono::milliseconds limit) override {
    const FlightSlot place = place_of_wait(state_, offer_.operation, group_, number_, shape_of(offer_));
    FlightRecorder* flight = state_.flight();
    if (flight) flight->at_collective(state_.rank, place.operation, place.group, place.sequence, place.shape);
    waiting_.begin();
    bool done = false;
    try {
      done = work_->wait(limit);
      backend_.settle(work_);
    } catch (...) {
      // A rank gets here if a peer's process died, and the world is about to end. Keep the flight file's place as if it still
      // waited.
      std::this_thread::sleep_for(kParting);
      throw;
    }
    waiting_.end();
    if (flight) flight->left_collective(state_.rank);
    return done;
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  ProcessBackend& backend_;
  RankState& state_;
  Waiting& waiting_;
  std::string group_;
  std::int64_t number_;
  Offer offer_;  // keeps the tensors alive that the library reads and writes
};

}  // namespace

int place_in(const RankGroup& group, int rank) {
  return static_cast<int>(std::ranges::find(group.ranks, rank) - group.ranks.begin());
}

ProcessBackend::ProcessBackend(const RankGroup& group, c10::intrusive_ptr<c10d::Backend> collectives, RankState& rank,
                               Waiting& waiting)
    : OfferingBackend(group.name, place_in(group, rank.rank), static_cast<int>(group.ranks.size())),
      collectives_(std::move(collectives)),
      state_(rank),
      waiting_(waiting) {}

void ProcessBackend::meet() { collectives_->barrier(barrier_options())->wait(); }

ProcessBackend::WorkPtr ProcessBackend::issue(Offer offer, const Channel& channel) {
  const std::int64_t number = issued_[channel]++;
  if (!begin_call(offer, channel, group(), state_)) return skipped_call();
  WorkPtr work = start(offer, channel);
  return c10::make_intrusive<ProcessWork>(std::move(work), *this, state_, waiting_, group(), number, offer);
}

ProcessBackend::WorkPtr ProcessBackend::start(Offer& offer, const Channel& channel) {
  switch (offer.operation) {
    case Operation::all_reduce: {
      // Gloo's plain allreduce treats several tensors as copies of one and adds them up.
      c10d::AllreduceCoalescedOptions options;
      options.reduceOp = reduce_op_of(offer.reduction);
      return offer.inputs.size() == 1 ? collectives_->allreduce(offer.inputs, options)
                                      : collectives_->allreduce_coalesced(offer.inputs, options);
    }
    case Operation::reduce_scatter: {
      c10d::ReduceScatterOptions options;
      options.reduceOp = reduce_op_of(offer.reduction);
      return collectives_->reduce_scatter_tensor_coalesced(offer.outputs, offer.inputs, options);
    }
    case Operation::all_gather: return collectives_->allgather_into_tensor_coalesced(offer.outputs, offer.inputs);
    case Operation::broadcast: {
      c10d::BroadcastOptions options;
      options.rootRank = offer.root;
      return collectives_->broadcast(offer.inputs, options);
    }
    case Operation::all_to_all:
      return collectives_->alltoall_base(offer.outputs[0], offer.inputs[0], offer.output_splits, offer.input_splits);
    case Operation::barrier: return collectives_->barrier(barrier_options());
    case Operation::send: return collectives_->send(offer.inputs, channel.destination, channel.tag);
    case Operation::recv: return collectives_->recv(offer.outputs, channel.source, channel.tag);
  }
  return {};
}

}  // namespace ordercheck::ranks
