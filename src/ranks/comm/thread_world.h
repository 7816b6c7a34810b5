// Where rank threads wait for each other: who waits for whom, and what to say when nobody can go on.
//
// A rank goes on, waits, or has ended, all under one mutex. Whenever a rank begins to wait or ends, the world looks
// whether anyone can still go on; if not, and not all ended well, the world is over: its cause is found once, by
// diagnose(), and every waiting rank is woken with Aborted. No clock is involved.
//
// A rank that threw does not stop the others: they go on until they wait for something that cannot come. No rank can see
// who came to a meeting first, so where all of them come to rest does not depend on how their threads were scheduled, and
// a failing case fails the same way every time.
//
// Thread rules: every public function may be called from any rank's thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ranks/comm/offering_backend.h"
#include "ranks/comm/rank_groups.h"
#include "ranks/comm/rank_stream.h"
#include "ranks/comm/rendezvous.h"
#include "ranks/comm/world.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

// What a rank gets whose world is over: never a cause.
class Aborted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ThreadGroup : RankGroup {
  std::map<std::pair<int, Channel>, std::int64_t> issued;  // by group rank: the next number on each channel
  std::map<std::pair<Channel, std::int64_t>, std::shared_ptr<Rendezvous>> open;  // not done
  std::optional<c10::Stream> stream;                                             // of its exchanges; none on the CPU
};

struct RankThread {
  bool ended = false;
  std::shared_ptr<Rendezvous> awaited;  // null while the rank goes on
  FlightSlot place;                     // where it waits, or where it ended
  std::optional<WorldResult> thrown;    // what it ended with, if not well
  std::condition_variable wake;
};

class ThreadWorld {
 public:
  ThreadWorld(const Mesh& mesh, at::Device device);

  // The groups that `rank` belongs to, one an axis.
  std::vector<std::shared_ptr<ThreadGroup>> groups_of(int rank) const;

  // Brings one rank's offer; never blocks on another rank. The last to come does the work. Throws Aborted.
  std::shared_ptr<Rendezvous> join(ThreadGroup& group, int group_rank, const Channel& channel, Offer offer);

  // Blocks `rank` until the meeting is done. `place` says where it waits. Throws Aborted.
  void wait(int rank, const std::shared_ptr<Rendezvous>& meeting, const FlightSlot& place);
  bool is_done(const Rendezvous& meeting);

  // The rank does nothing any more: its body returned, or threw what `thrown` says.
  void end(int rank, const FlightSlot& place, std::optional<WorldResult> thrown);

  // How it all ended; when every rank has ended.
  WorldResult result();

 private:
  void detect_deadlock();
  void require_going_on() const;

  std::mutex mutex_;
  std::vector<std::unique_ptr<RankThread>> ranks_;
  std::vector<std::shared_ptr<ThreadGroup>> groups_;
  bool over_ = false;
  WorldResult result_;
};

// Why nobody goes on, in this order: a rank threw (the earliest step, then the lowest rank), ranks disagree on a
// collective, a rank waits for what cannot come, or all ended but one left something undelivered. Completed otherwise.
WorldResult diagnose(const std::vector<std::unique_ptr<RankThread>>& ranks,
                     const std::vector<std::shared_ptr<ThreadGroup>>& groups);

// The c10d backend of one rank in one group of a thread world.
//
// A method brings this rank's offer and returns at once; only Work::wait blocks. So several collectives may be under way,
// and a rank is never blocked where c10d promises that it is not. Faults skip_collective and wrong_shape act here.
//
// Thread rules: used by its rank's thread.

class ThreadBackend : public OfferingBackend {
 public:
  // `rank` must outlive every wait for this backend's works.
  ThreadBackend(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int group_rank, RankState& rank);

  const std::string getBackendName() const override { return "ordercheck_threads"; }

 private:
  WorkPtr issue(Offer offer, const Channel& channel) override;

  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<ThreadGroup> group_;
  RankState& state_;
};

// The threads that ranks run on. They outlive a world: rank 3 of every world runs on the same one. c10d keeps what belongs to a thread,
// its registry of groups, for as long as the process lives (torch/csrc/distributed/c10d/RankLocal.hpp), so that a new thread for
// each rank would leave something behind with every world.

// Runs body(0) ... body(count - 1), each on a thread of its own, and returns when all have ended. `body` does not throw. A rank whose
// thread cannot be started is told of by `refused`, on the caller's thread, and has no body. Callers on several threads take turns.
// A body that never returns blocks its thread for good.
void run_on_rank_threads(int count, const std::function<void(int rank)>& body,
                         const std::function<void(int rank, const std::system_error&)>& refused);

}  // namespace ordercheck::ranks
