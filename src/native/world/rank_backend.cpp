#include "native/world/rank_backend.h"

#include <c10/util/Exception.h>

#include "native/world/current_module.h"
#include "native/world/exchange.h"

namespace ordercheck::ranks {
OfferingBackend::WorkPtr OfferingBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  return issue(
      {.operation = Operation::all_reduce, .reduction = reduction_of(options.reduceOp), .inputs = tensors, .outputs = tensors},
      {});
}

OfferingBackend::WorkPtr OfferingBackend::allreduce_coalesced(Tensors& tensors,
                                                              const c10d::AllreduceCoalescedOptions& options) {
  return allreduce(tensors, options);
}

OfferingBackend::WorkPtr OfferingBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                               const c10d::ReduceScatterOptions& options) {
  Tensors outputs{output}, inputs{input};
  return reduce_scatter_tensor_coalesced(outputs, inputs, options);
}

OfferingBackend::WorkPtr OfferingBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                          const c10d::ReduceScatterOptions& options) {
  return issue({.operation = Operation::reduce_scatter,
                .reduction = reduction_of(options.reduceOp),
                .inputs = inputs,
                .outputs = outputs},
               {});
}

OfferingBackend::WorkPtr OfferingBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                          const c10d::AllgatherOptions& options) {
  Tensors outputs{output}, inputs{input};
  return allgather_into_tensor_coalesced(outputs, inputs, options);
}

OfferingBackend::WorkPtr OfferingBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                          const c10d::AllgatherOptions&) {
  return issue({.operation = Operation::all_gather, .inputs = inputs, .outputs = outputs}, {});
}

OfferingBackend::WorkPtr OfferingBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  const int root = static_cast<int>(options.rootRank);
  TORCH_CHECK(root >= 0 && root < getSize(), "broadcast on ", group_, " from group rank ", root, ": expected 0 to ",
              getSize() - 1);
  return issue({.operation = Operation::broadcast, .root = root, .inputs = tensors, .outputs = tensors}, {});
}

OfferingBackend::WorkPtr OfferingBackend::alltoall_base(at::Tensor& output, at::Tensor& input,
                                                        std::vector<int64_t>& output_splits, std::vector<int64_t>& input_splits,
                                                        const c10d::AllToAllOptions&) {
  return issue({.operation = Operation::all_to_all,
                .inputs = {input},
                .outputs = {output},
                .input_splits = input_splits,
                .output_splits = output_splits},
               {});
}

OfferingBackend::WorkPtr OfferingBackend::barrier(const c10d::BarrierOptions&) {
  return issue({.operation = Operation::barrier}, {});
}

void OfferingBackend::require_peer(const char* verb, int peer) const {
  TORCH_CHECK(peer >= 0 && peer < getSize() && peer != getRank(), verb, " group rank ", peer, " on ", group_,
              ": expected another rank of the group's ", getSize());
}

OfferingBackend::WorkPtr OfferingBackend::send(Tensors& tensors, int destination, int tag) {
  require_peer("send to", destination);
  return issue({.operation = Operation::send, .inputs = tensors},
               {.source = getRank(), .destination = destination, .tag = tag});
}

OfferingBackend::WorkPtr OfferingBackend::recv(Tensors& tensors, int source, int tag) {
  require_peer("receive from", source);
  return issue({.operation = Operation::recv, .outputs = tensors}, {.source = source, .destination = getRank(), .tag = tag});
}

namespace {

std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

// Returns the tensors that describe a call: its inputs, or a receiver's output buffer, because recv has no inputs.
const std::vector<at::Tensor>& handed_in(const Offer& offer) {
  return offer.operation == Operation::recv ? offer.outputs : offer.inputs;
}

// The work of a collective that an injected fault makes the rank skip: done at once.
class SkippedWork : public c10d::Work {
 public:
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
};

}  // namespace

Reduction reduction_of(const c10d::ReduceOp& reduce) {
  TORCH_CHECK(reduce == c10d::ReduceOp::SUM || reduce == c10d::ReduceOp::MAX, "ranks reduce by sum or max, got reduction ",
              static_cast<int>(reduce.op_));
  return reduce == c10d::ReduceOp::SUM ? Reduction::sum : Reduction::max;
}

bool begin_call(Offer& offer, const Channel& channel, const std::string& group, RankState& state) {
  const std::int64_t number = state.collectives_issued();
  state.count_collective(name_of(offer.operation), group, bytes_of(handed_in(offer)));
  if (const auto& fault = state.fault(); fault && fault->sequence == number) {
    if (fault->kind == "skip_collective") {
      zero_outputs(offer);
      return false;
    }
    if (fault->kind == "wrong_shape") lengthen_inputs(offer);
  }
  if (channel.is_message()) ++state.counters.p2p_messages;
  return true;
}

c10::intrusive_ptr<c10d::Work> skipped_call() { return c10::make_intrusive<SkippedWork>(); }

FlightSlot place_of_wait(const RankState& state, Operation operation, const std::string& group, std::int64_t number,
                         const std::string& shape) {
  FlightSlot place = place_of(state);
  place.operation = name_of(operation);
  place.group = group;
  place.sequence = number;
  place.shape = shape;
  return place;
}

std::string shape_of(const Offer& offer) { return shape_text(handed_in(offer)); }

}  // namespace ordercheck::ranks
