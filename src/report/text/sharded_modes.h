// Renders what the ways of gathering sharded parameters cost, one line each.
#pragma once

#include <string>
#include <vector>

#include "graph/sharded_step.h"

namespace ordercheck {

// `tokens` are those of one rank in a step.
std::string render_sharded_modes(const std::vector<captured::ShardedCost>& costs, const std::string& title,
                                 const std::string& machine, std::int64_t tokens);

}  // namespace ordercheck
