// The c10d backend of one rank in one group of a world of processes: c10d's own over Gloo, watched as the thread world's is.
//
// Each call is counted and stands in the flight file while it is waited for; faults skip_collective and wrong_shape act here.
// What Gloo does with ranks that disagree is Gloo's: it ends them with an error of its own, waits, or takes what it is given.
//
// Thread rules: used by its rank's thread. All unsupported calls throw, as c10d::Backend does.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "ranks/comm/rank_groups.h"
#include "ranks/comm/rendezvous.h"
#include "ranks/comm/waiting.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

class GlooBackend : public c10d::Backend {
 public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using Tensors = std::vector<at::Tensor>;

  // Connects to the group's other ranks: returns when all of them are here. They meet through files below `folder`, which is
  // this world's own. `rank` and `waiting` must outlive every wait for this backend's works.
  GlooBackend(const RankGroup& group, const std::string& folder, RankState& rank, Waiting& waiting);

  // Returns when all ranks of the group have called it. Not counted: it is the world's, and no rank's program's.
  void meet() { gloo_->barrier(c10d::BarrierOptions())->wait(); }

  const std::string getBackendName() const override { return "ordercheck_gloo"; }

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

 private:
  WorkPtr issue(Offer offer, const Channel& channel, const std::function<WorkPtr(Offer& offer)>& start);

  std::string group_;
  c10::intrusive_ptr<c10d::Backend> gloo_;
  RankState& state_;
  Waiting& waiting_;
  std::map<Channel, std::int64_t> issued_;
};

}  // namespace ordercheck::ranks
