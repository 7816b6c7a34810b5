// The c10d backend of one rank in one group of a world of processes: c10d's own over Gloo, watched as the thread world's is.
//
// Each call is counted and stands in the flight file while it is waited for; faults skip_collective and wrong_shape act here.
// What Gloo does with ranks that disagree is Gloo's: it ends them with an error of its own, waits, or takes what it is given.
//
// Thread rules: used by its rank's thread.
#pragma once

#include <map>
#include <string>

#include "ranks/comm/meeting_place.h"
#include "ranks/comm/offering_backend.h"
#include "ranks/comm/rank_groups.h"
#include "ranks/comm/rendezvous.h"
#include "ranks/comm/waiting.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

class GlooBackend : public ProcessBackend {
 public:
  // Connects to the group's other ranks: returns when all of them are here. `rank` and `waiting` must outlive every wait for this
  // backend's works.
  GlooBackend(const RankGroup& group, const MeetingPlace& meeting, RankState& rank, Waiting& waiting);

  void meet() override { gloo_->barrier(c10d::BarrierOptions())->wait(); }

  const std::string getBackendName() const override { return "ordercheck_gloo"; }

 private:
  WorkPtr issue(Offer offer, const Channel& channel) override;
  WorkPtr start(Offer& offer, const Channel& channel);

  c10::intrusive_ptr<c10d::Backend> gloo_;
  RankState& state_;
  Waiting& waiting_;
  std::map<Channel, std::int64_t> issued_;
};

}  // namespace ordercheck::ranks
