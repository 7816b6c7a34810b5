#include "ranks/comm/thread_backend.h"

#include "ranks/comm/blame.h"
#include "ranks/comm/exchange.h"

namespace ordercheck::ranks {
namespace {

Reduction reduction_of(const c10d::ReduceOp& reduce) {
  TORCH_CHECK(reduce == c10d::ReduceOp::SUM || reduce == c10d::ReduceOp::MAX,
              "rank threads reduce by sum or max, got reduction ", static_cast<int>(reduce.op_));
  return reduce == c10d::ReduceOp::SUM ? Reduction::sum : Reduction::max;
}

std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

// What a receiver hands in is the room for what comes.
const std::vector<at::Tensor>& handed_in(const Offer& offer) {
  return offer.operation == Operation::recv ? offer.outputs : offer.inputs;
}

class ThreadWork : public c10d::Work {
 public:
  ThreadWork(std::shared_ptr<ThreadWorld> world, std::shared_ptr<Rendezvous> meeting, RankState& state, const Offer& offer)
      : world_(std::move(world)),
        meeting_(std::move(meeting)),
        state_(state),
        operation_(offer.operation),
        shape_(shape_text(handed_in(offer))) {}

  bool isCompleted() override { return world_->is_done(*meeting_); }
  bool isSuccess() const override { return world_->is_done(*meeting_); }

  bool wait(std::chrono::milliseconds) override {
    FlightSlot place = place_of(state_);
    place.operation = name_of(operation_);
    place.group = meeting_->group;
    place.sequence = meeting_->number;
    place.shape = shape_;
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

// A collective that a fault made this rank skip.
class SkippedWork : public c10d::Work {
 public:
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
};

}  // namespace

ThreadBackend::ThreadBackend(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int group_rank,
                             RankState& state)
    : Backend(group_rank, static_cast<int>(group->ranks.size())),
      world_(std::move(world)),
      group_(std::move(group)),
      state_(state) {}

ThreadBackend::WorkPtr ThreadBackend::issue(Offer offer, const Channel& channel) {
  const std::int64_t number = state_.collectives_issued();
  state_.count_collective(name_of(offer.operation), group_->name, bytes_of(handed_in(offer)));
  if (const auto& fault = state_.fault(); fault && fault->sequence == number) {
    if (fault->kind == "skip_collective") {
      zero_outputs(offer);
      return c10::make_intrusive<SkippedWork>();
    }
    if (fault->kind == "wrong_shape") lengthen_inputs(offer);
  }
  if (channel.is_message()) ++state_.counters.p2p_messages;
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
