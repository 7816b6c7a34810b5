// A world of processes on this machine, one a rank, whose groups are c10d's over Gloo.
//
// Ranks are forked from the caller, so that they have what it has: kernels that are installed, the flight file, its limits. They hand
// back bytes. Unlike in the thread world nothing here knows which collective a rank is in beyond its flight slot, so that ranks that
// wait for each other wait until a watchdog ends the caller, and take their end from it: the flight file then says where they are.
//
// A rank that throws goes on being there, so that no other takes its silence for an error of its own. Those that still run go on
// until they wait, and the first cause is told as in the thread world: of several ranks that threw the one in the earliest step, then the
// lowest. A rank whose process dies takes the caller with it, by the same signal or exit code, as a rank's thread would.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ranks/comm/world.h"

namespace ordercheck::ranks {

// As run_thread_world, but for `body`, which returns what the rank hands back: `answers` has it by rank, when the world completed.
// The caller has one thread, and is no rank. Throws std::system_error where the system gives no pipe, no shared memory or no folder
// for temporary files, std::runtime_error where it keeps no flight file there, and what nlohmann::json throws for bytes that are no rank's.
WorldResult run_process_world(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                              std::vector<std::string>& answers);

}  // namespace ordercheck::ranks
