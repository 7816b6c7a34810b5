// What a captured graph takes on a stated machine (captured/timeline.h), for people.
#pragma once

#include <string>

#include "parity/graph_record.h"
#include "report/text/graph_change_view.h"

namespace ordercheck {

// A line: "on a stated machine  812.5 us, of which compute waits 120.0 us of the 400.0 us that collectives take; 1234 bytes held at most".
std::string render_cost(const GraphRecord& graph);

// Two lines: before and behind.
std::string render_costs(const GraphChange& change);

}  // namespace ordercheck
