// The collectives of a redistribution and how much a rank sends in them.
#pragma once

#include <string>
#include <vector>

#include "graph/costs.h"

namespace ordercheck::placing {

struct SentOver {
  std::string axes;  // "tp", or "dp_shard+tp" for one collective over all axes
  Collective kind = Collective::all_gather;
  double bytes = 0;  // that a rank sends, by a ring
};

// Empty if nothing is sent: a rank cuts its part off a value that it has whole.
std::vector<SentOver> traffic_of(const JointValue& value, const Placements& from, const Placements& to, const DeviceMesh& mesh);

// "all_gather"
std::string name_of(Collective kind);

// Reads what name_of(Placements) prints: "S(0)R". Requires such a text.
Placements placements_named(const std::string& text);

}  // namespace ordercheck::placing
