// Runs a world of processes on this machine, one per rank, with c10d groups over Gloo by default.
//
// Ranks are forked from the caller, so they inherit its installed kernels, flight file and limits. They return bytes. Unlike
// the thread world, this one knows only a rank's flight slot, not its collective. Deadlocked ranks wait until a watchdog ends
// the caller, and end with it. The flight file then shows their places.
//
// A rank that throws stays alive, so that its peers do not fail because of it. Other ranks run until they wait. The result is
// the first cause, as in the thread world: the exception of the earliest step, then of the lowest rank. If a rank's process
// dies, the caller dies by the same signal or exit code, as it would with a rank thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/world/world.h"

namespace ordercheck::ranks {

// As run_thread_world(), but `body` returns the rank's answer as bytes. `answers` gets them in rank order if all ranks
// completed. The caller must be single-threaded and not a rank itself. Throws std::system_error if the system has no pipe,
// shared memory or temporary folder, std::runtime_error without a flight recorder file, and nlohmann::json's error for
// malformed answers.
WorldResult run_process_world(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                              std::vector<std::string>& answers);

}  // namespace ordercheck::ranks
