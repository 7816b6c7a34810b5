// The backend of a world of processes that c10d's own over Gloo is.
#pragma once

#include <string>

#include "ranks/comm/meeting_place.h"
#include "ranks/comm/process_backend.h"

namespace ordercheck::ranks {

class GlooBackend : public ProcessBackend {
 public:
  // Connects to the group's other ranks: returns when all of them are here.
  GlooBackend(const RankGroup& group, const MeetingPlace& meeting, RankState& rank, Waiting& waiting);

  const std::string getBackendName() const override { return "ordercheck_gloo"; }

  // The thread that did the work lets go of it a little after it said that it is done, and of the tensors with it: what a rank holds
  // would depend on that.
  void settle(const WorkPtr& work) override;
};

}  // namespace ordercheck::ranks
