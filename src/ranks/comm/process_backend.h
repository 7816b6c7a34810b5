// The c10d backend of one rank in one group of a world of processes: c10d's own over a library of collectives, watched as the thread
// world's is.
//
// Each call is counted and stands in the flight file while it is waited for; faults skip_collective and wrong_shape act here.
// What the library does with ranks that disagree is the library's: it ends them with an error of its own, waits, or takes what it is
// given.
//
// Thread rules: used by its rank's thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "ranks/comm/offering_backend.h"
#include "ranks/comm/rank_groups.h"
#include "ranks/comm/rendezvous.h"
#include "ranks/comm/shared_waiting.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

// For the library's own limit: a watchdog outside ends ranks that wait for ever, and says where they are; the library would only say
// that time is up.
inline constexpr std::chrono::hours kNoLimit{24 * 365};

// The group rank of a rank of the world that is in the group.
int place_in(const RankGroup& group, int rank);

class ProcessBackend : public OfferingBackend {
 public:
  // Returns when all ranks of the group have called it. Not counted: it is the world's, and no rank's program's.
  void meet();

  // What more a rank waits for until it may go on behind the library's work, which has been waited for.
  virtual void settle(const WorkPtr& work) = 0;

 protected:
  // `collectives` has connected the group's ranks. `rank` and `waiting` must outlive every wait for this backend's works.
  ProcessBackend(const RankGroup& group, c10::intrusive_ptr<c10d::Backend> collectives, RankState& rank, Waiting& waiting);

  virtual c10d::BarrierOptions barrier_options() const { return {}; }

 private:
  WorkPtr issue(Offer offer, const Channel& channel) override;
  WorkPtr start(Offer& offer, const Channel& channel);

  c10::intrusive_ptr<c10d::Backend> collectives_;
  RankState& state_;
  Waiting& waiting_;
  std::map<Channel, std::int64_t> issued_;
};

}  // namespace ordercheck::ranks
