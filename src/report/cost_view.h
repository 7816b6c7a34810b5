// What runs cost: their counters and their traffic.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/runs_view.h"

namespace ordercheck {

// "saved bytes peak": a counter's name as a page writes it.
std::string counter_in_words(std::string name);

// "12,345", or "not measured".
std::string counter_text(std::int64_t value);

// Fills `view.cost_names` and `view.costs` with counters, a row a case, and `view.traffic` with collectives, a row a case,
// kind and group.
void add_costs(const std::vector<const Outcome*>& runs, EngineView& view);

}  // namespace ordercheck
