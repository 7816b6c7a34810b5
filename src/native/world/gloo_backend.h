// Provides the Gloo backend of a process world, over c10d's ProcessGroupGloo.
#pragma once

#include <string>

#include "native/world/meeting_place.h"
#include "native/world/process_backend.h"

namespace ordercheck::ranks {

class GlooBackend : public ProcessBackend {
 public:
  // Connects to the other ranks of the group. Returns when all are connected.
  GlooBackend(const RankGroup& group, const MeetingPlace& meeting, RankState& rank, Waiting& waiting);

  const std::string getBackendName() const override { return "ordercheck_gloo"; }

  // Waits until Gloo's thread releases the work and its tensors, shortly after completion. Without this, the measured bytes
  // that a rank holds would depend on timing.
  void settle(const WorkPtr& work) override;
};

}  // namespace ordercheck::ranks
