// What backends of ours have in common: a c10d backend of one rank in one group that takes each call for an offer.
//
// Thread rules: used by its rank's thread. All unsupported calls throw, as c10d::Backend does.
#pragma once

#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "protocol/flight.h"
#include "ranks/comm/rendezvous.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

class OfferingBackend : public c10d::Backend {
 public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using Tensors = std::vector<at::Tensor>;

  OfferingBackend(std::string group, int group_rank, int size) : Backend(group_rank, size), group_(std::move(group)) {}

  // Sum and max only.
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
  // Returns at once; only the work's wait() blocks.
  virtual WorkPtr issue(Offer offer, const Channel& channel) = 0;

  const std::string& group() const { return group_; }

 private:
  void require_peer(const char* verb, int peer) const;

  std::string group_;
};

// What every backend of ours tells of a call: its counts, its faults, and where its rank waits.

// Throws for a reduction that is neither sum nor max.
Reduction reduction_of(const c10d::ReduceOp& reduce);

// Counts the call. False when a fault makes the rank skip it; its outputs are zeroes then, and skipped() is its work. Another fault
// lengthens what it hands in.
bool begin_call(Offer& offer, const Channel& channel, const std::string& group, RankState& state);
c10::intrusive_ptr<c10d::Work> skipped_call();

// Where a rank is that waits for call `number` of its group, or of the channel of a message.
FlightSlot place_of_wait(const RankState& state, Operation operation, const std::string& group, std::int64_t number,
                         const std::string& shape);

// "float64 [4, 24, 48]": what was handed in, which of a receiver is the room for what comes.
std::string shape_of(const Offer& offer);

}  // namespace ordercheck::ranks
