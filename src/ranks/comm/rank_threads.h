// The threads that ranks run on. They outlive a world: rank 3 of every world runs on the same one. c10d keeps what belongs to a thread,
// its registry of groups, for as long as the process lives (torch/csrc/distributed/c10d/RankLocal.hpp), so that a new thread for
// each rank would leave something behind with every world.
#pragma once

#include <functional>
#include <system_error>

namespace ordercheck::ranks {

// Runs body(0) ... body(count - 1), each on a thread of its own, and returns when all have ended. `body` does not throw. A rank whose
// thread cannot be started is told of by `refused`, on the caller's thread, and has no body. Callers on several threads take turns.
// A body that never returns blocks its thread for good.
void run_on_rank_threads(int count, const std::function<void(int rank)>& body,
                         const std::function<void(int rank, const std::system_error&)>& refused);

}  // namespace ordercheck::ranks
