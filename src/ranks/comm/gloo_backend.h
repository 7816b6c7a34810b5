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
};

}  // namespace ordercheck::ranks
