// Provides the c10d backend of one rank in one group of a process world: it wraps the backend of a library (Gloo, NCCL) and
// observes its calls as the thread world does.
//
// Each collective is counted, and appears in the flight recorder file while the rank waits for it. The injected faults
// skip_collective and wrong_shape act here. If ranks disagree on a collective, the library decides: it fails with its own
// error, waits, or uses the data it gets.
//
// Thread rules: used by its rank's thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "native/module/rank.h"
#include "native/world/rank_backend.h"
#include "native/world/rank_groups.h"
#include "native/world/rendezvous.h"
#include "native/world/shared_waiting.h"

namespace ordercheck::ranks {

// Disables the library's own timeout. An external watchdog ends ranks that hang and reports their places, which the library
// cannot.
inline constexpr std::chrono::hours kNoLimit{24 * 365};

// Returns the group rank of `rank`, which must be in the group.
int place_in(const RankGroup& group, int rank);

class ProcessBackend : public OfferingBackend {
 public:
  // A barrier of the group, outside the rank's collective counts: the world issues it, not the trained program.
  void meet();

  // Called in wait() after `work` is done: waits for anything else that the library still does with its tensors.
  virtual void settle(const WorkPtr& work) = 0;

 protected:
  // `collectives` is the library's backend, already connected. `rank` and `waiting` must outlive every wait for a work of this
  // backend.
  ProcessBackend(const RankGroup& group, c10::intrusive_ptr<c10d::Backend> collectives, RankState& rank, Waiting& waiting);

  virtual c10d::BarrierOptions barrier_options() const { return {}; }

 private:
  WorkPtr issue(Offer offer, const Channel& channel) override;
  WorkPtr start(Offer& offer, const Channel& channel);

  c10::intrusive_ptr<c10d::Backend> collectives_;
  RankState& state_;
  Waiting& waiting_;
  std::map<Channel, std::int64_t> issued_;  // by channel: number of calls so far
};

}  // namespace ordercheck::ranks
