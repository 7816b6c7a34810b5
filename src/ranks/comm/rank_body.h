// Runs what a rank does, and says how it ended.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ranks/comm/world.h"

namespace ordercheck::ranks {

// Nothing when `body` returned; else what it threw, with the place where it was thrown.
std::optional<WorldResult> run_body(const std::function<void(RankState&)>& body, RankState& state);

// As if `state`'s rank had thrown `message` where it is.
WorldResult thrown_by(const RankState& state, Ending ending, std::string message);

}  // namespace ordercheck::ranks
