#include "ranks/comm/thread_backend.h"

#include "ranks/comm/watched_offer.h"

namespace ordercheck::ranks {
namespace {

class ThreadWork : public c10d::Work {
 public:
  ThreadWork(std::shared_ptr<ThreadWorld> world, std::shared_ptr<Rendezvous> meeting, RankState& state, const Offer& offer)
      : world_(std::move(world)),
        meeting_(std::move(meeting)),
        state_(state),
        operation_(offer.operation),
        shape_(shape_of(offer)) {}

  bool isCompleted() override { return world_->is_done(*meeting_); }
  bool isSuccess() const override { return world_->is_done(*meeting_); }

  bool wait(std::chrono::milliseconds) override {
    const FlightSlot place = place_of_wait(state_, operation_, meeting_->group, meeting_->number, shape_);
    FlightRecorder* flight = state_.flight();
    if (flight) flight->at_collective(state_.rank, place.operation, place.group, place.sequence, place.shape);
    world_->wait(state_.rank, meeting_, place);
    if (flight) flight->left_collective(state_.rank);
    return true;
  }

 private:
  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<Rendezvous> meeting_;
  RankState& state_;
  Operation operation_;
  std::string shape_;
};

}  // namespace

ThreadBackend::ThreadBackend(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int group_rank,
                             RankState& state)
    : Backend(group_rank, static_cast<int>(group->ranks.size())),
      world_(std::move(world)),
      group_(std::move(group)),
      state_(state) {}

ThreadBackend::WorkPtr ThreadBackend::issue(Offer offer, const Channel& channel) {
  if (!begin_call(offer, channel, group_->name, state_)) return skipped_call();
  auto meeting = world_->join(*group_, getRank(), channel, offer);
  return c10::make_intrusive<ThreadWork>(world_, std::move(meeting), state_, offer);
}

ThreadBackend::WorkPtr ThreadBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  return issue(
      {.operation = Operation::all_reduce, .reduction = reduction_of(options.reduceOp), .inputs = tensors, .outputs = tensors});
}

ThreadBackend::WorkPtr ThreadBackend::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
  return allreduce(tensors, options);
}

ThreadBackend::WorkPtr ThreadBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                           const c10d::ReduceScatterOptions& options) {
  Tensors outputs{output}, inputs{input};
  return reduce_scatter_tensor_coalesced(outputs, inputs, options);
}

ThreadBackend::WorkPtr ThreadBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                      const c10d::ReduceScatterOptions& options) {
  return issue({.operation = Operation::reduce_scatter,
                .reduction = reduction_of(options.reduceOp),
                .inputs = inputs,
                .outputs = outputs});
}

ThreadBackend::WorkPtr ThreadBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::AllgatherOptions& options) {
  Tensors outputs{output}, inputs{input};
  return allgather_into_tensor_coalesced(outputs, inputs, options);
}

ThreadBackend::WorkPtr ThreadBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                      const c10d::AllgatherOptions&) {
  return issue({.operation = Operation::all_gather, .inputs = inputs, .outputs = outputs});
}

ThreadBackend::WorkPtr ThreadBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  const int root = static_cast<int>(options.rootRank);
  TORCH_CHECK(root >= 0 && root < getSize(), "broadcast on ", group_->name, " from group rank ", root, ": expected 0 to ",
              getSize() - 1);
  return issue({.operation = Operation::broadcast, .root = root, .inputs = tensors, .outputs = tensors});
}

ThreadBackend::WorkPtr ThreadBackend::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                                                    std::vector<int64_t>& input_splits, const c10d::AllToAllOptions&) {
  return issue({.operation = Operation::all_to_all,
                .inputs = {input},
                .outputs = {output},
                .input_splits = input_splits,
                .output_splits = output_splits});
}

ThreadBackend::WorkPtr ThreadBackend::barrier(const c10d::BarrierOptions&) { return issue({.operation = Operation::barrier}); }

void ThreadBackend::require_peer(const char* verb, int peer) const {
  TORCH_CHECK(peer >= 0 && peer < getSize() && peer != getRank(), verb, " group rank ", peer, " on ", group_->name,
              ": expected another rank of the group's ", getSize());
}

ThreadBackend::WorkPtr ThreadBackend::send(Tensors& tensors, int destination, int tag) {
  require_peer("send to", destination);
  return issue({.operation = Operation::send, .inputs = tensors},
               {.source = getRank(), .destination = destination, .tag = tag});
}

ThreadBackend::WorkPtr ThreadBackend::recv(Tensors& tensors, int source, int tag) {
  require_peer("receive from", source);
  return issue({.operation = Operation::recv, .outputs = tensors}, {.source = source, .destination = getRank(), .tag = tag});
}

}  // namespace ordercheck::ranks
