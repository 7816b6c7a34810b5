// The c10d backend of one rank in one group of a thread world.
//
// A method brings this rank's offer and returns at once; only Work::wait blocks. So several collectives may be under way,
// and a rank is never blocked where c10d promises that it is not. Faults skip_collective and wrong_shape act here.
//
// Thread rules: used by its rank's thread.
#pragma once

#include <memory>
#include <string>

#include "ranks/comm/offering_backend.h"
#include "ranks/comm/thread_world.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

class ThreadBackend : public OfferingBackend {
 public:
  // `rank` must outlive every wait for this backend's works.
  ThreadBackend(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int group_rank, RankState& rank);

  const std::string getBackendName() const override { return "ordercheck_threads"; }

 private:
  WorkPtr issue(Offer offer, const Channel& channel) override;

  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<ThreadGroup> group_;
  RankState& state_;
};

}  // namespace ordercheck::ranks
