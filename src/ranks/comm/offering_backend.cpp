#include "ranks/comm/offering_backend.h"

#include <c10/util/Exception.h>

#include "ranks/comm/watched_offer.h"

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

}  // namespace ordercheck::ranks
