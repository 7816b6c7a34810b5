// What one run cost, from its evidence row.
#pragma once

#include "report/runs_view.h"

namespace ordercheck {

// Adds the row's counters to `view.costs` and its collectives, a line a kind and group, to `view.traffic`.
void add_cost(const EvidenceRow& row, const Case& c, EngineView& view);

}  // namespace ordercheck
