// Provides the base of our backends: a c10d backend of one rank in one group that turns each call into an Offer.
//
// Thread rules: used by its rank's thread. All unsupported calls throw, as c10d::Backend does.
#pragma once

#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "native/module/rank.h"
#include "native/world/rendezvous.h"
#include "record/flight.h"

namespace ordercheck::ranks {

class OfferingBackend : public c10d::Backend {
 public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using Tensors = std::vector<at::Tensor>;

  OfferingBackend(std::string group, int group_rank, int size) : Backend(group_rank, size), group_(std::move(group)) {}

  // Supports sum and max only.
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  WorkPtr allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override;
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions&) override;
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const c10d::ReduceScatterOptions& options) override;

  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions&) override;
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions&) override;
  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const c10d::AllToAllOptions&) override;
  WorkPtr barrier(const c10d::BarrierOptions&) override;

  WorkPtr send(Tensors& tensors, int destination, int tag) override;
  WorkPtr recv(Tensors& tensors, int source, int tag) override;

 protected:
  // Issues the call that `offer` describes. Returns at once; only wait() of the returned work blocks.
  virtual WorkPtr issue(Offer offer, const Channel& channel) = 0;

  const std::string& group() const { return group_; }

 private:
  void require_peer(const char* verb, int peer) const;

  std::string group_;
};

// Shared by all our backends: counting of calls, injected faults, and the reported place of a waiting rank.

// Throws for a reduction other than sum or max.
Reduction reduction_of(const c10d::ReduceOp& reduce);

// Counts the call for the rank. Returns false if an injected fault makes the rank skip it: the outputs are then zeroed, and the
// backend returns skipped_call() as its work. Fault wrong_shape lengthens the inputs and returns true.
bool begin_call(Offer& offer, const Channel& channel, const std::string& group, RankState& state);
c10::intrusive_ptr<c10d::Work> skipped_call();

// Returns the flight recorder entry of a rank that waits for call `number` of `group`, or for a message.
FlightSlot place_of_wait(const RankState& state, Operation operation, const std::string& group, std::int64_t number,
                         const std::string& shape);

// Returns dtype and sizes of the inputs, or of a receiver's output buffer: "float64 [4, 24, 48]".
std::string shape_of(const Offer& offer);

}  // namespace ordercheck::ranks
