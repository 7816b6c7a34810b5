// Makes rank threads wait for each other, and diagnoses why no rank can continue.
//
// A rank runs, waits, or has ended; one mutex guards all states. Whenever a rank starts to wait or ends, the world checks
// whether any rank still runs. If none does, and not all ended well, the world is over: diagnose() finds the cause once, and
// every waiting rank wakes up with Aborted. No clock is involved.
//
// A rank that threw does not stop the others: they run until they wait for an offer that cannot arrive. No rank can observe in
// which order others arrive. So the final state does not depend on thread scheduling, and a failing case always fails alike.
//
// Thread rules: any rank's thread may call every public function.
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

#include "native/module/rank.h"
#include "native/world/rank_backend.h"
#include "native/world/rank_groups.h"
#include "native/world/rank_stream.h"
#include "native/world/rendezvous.h"
#include "native/world/world.h"

namespace ordercheck::ranks {

// Thrown in a rank that waits when the world is over. It is never reported as the cause of a failure.
class Aborted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ThreadGroup : RankGroup {
  std::map<std::pair<int, Channel>, std::int64_t> issued;  // by group rank and channel: number of the next call
  // Collectives and messages that not all ranks have joined.
  std::map<std::pair<Channel, std::int64_t>, std::shared_ptr<Rendezvous>> open;
  std::optional<c10::Stream> stream;  // stream on which its exchanges run; nullopt on the CPU
};

struct RankThread {
  bool ended = false;
  std::shared_ptr<Rendezvous> awaited;  // null while the rank runs
  FlightSlot place;                     // where it waits or ended
  std::optional<WorldResult> thrown;    // its exception; nullopt if its body returned
  std::condition_variable wake;         // signaled when `awaited` is done or the world is over
};

class ThreadWorld {
 public:
  ThreadWorld(const Mesh& mesh, at::Device device);

  // Returns the process groups that `rank` is in.
  std::vector<std::shared_ptr<ThreadGroup>> groups_of(int rank) const;

  // Adds one rank's offer to the collective or message that it belongs to. Never blocks on another rank: the last rank to
  // arrive does the exchange. Throws Aborted if the world is over.
  std::shared_ptr<Rendezvous> join(ThreadGroup& group, int group_rank, const Channel& channel, Offer offer);

  // Blocks `rank` until the collective or message is done. `place` is what a failure reports as the rank's place. Throws
  // Aborted if the world is over first.
  void wait(int rank, const std::shared_ptr<Rendezvous>& meeting, const FlightSlot& place);
  bool is_done(const Rendezvous& meeting);

  // Marks the rank as ended: its body returned, or threw `thrown`.
  void end(int rank, const FlightSlot& place, std::optional<WorldResult> thrown);

  // Returns how the world ended; call after every rank has ended.
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

// Returns why no rank can continue. The first match decides: a rank threw (earliest step, then lowest rank); ranks disagree on
// a collective; a rank waits for another that has ended or waits elsewhere; all ranks ended, but one issued an operation that
// others never joined. Otherwise completed.
WorldResult diagnose(const std::vector<std::unique_ptr<RankThread>>& ranks,
                     const std::vector<std::shared_ptr<ThreadGroup>>& groups);

// The c10d backend of one rank in one group of a thread world.
//
// A collective adds this rank's offer and returns at once; only Work::wait() blocks. So several collectives may be in flight,
// and a rank blocks only where c10d allows it. The injected faults skip_collective and wrong_shape act here.
//
// Thread rules: used by its rank's thread.

class ThreadBackend : public OfferingBackend {
 public:
  // `rank` must outlive every wait for a work of this backend.
  ThreadBackend(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int group_rank, RankState& rank);

  const std::string getBackendName() const override { return "ordercheck_threads"; }

 private:
  WorkPtr issue(Offer offer, const Channel& channel) override;

  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<ThreadGroup> group_;
  RankState& state_;
};

// The threads of ranks outlive a world: rank 3 of every world uses the same thread. c10d keeps per-thread state, such as its
// group registry, until the process ends (torch/csrc/distributed/c10d/RankLocal.hpp). New threads per world would leak it.

// Runs body(0) ... body(count - 1) on separate threads and returns when all have ended. `body` must not throw. If a rank's
// thread cannot start, calls `refused` on the caller's thread instead. Concurrent callers take turns. A body that never returns
// blocks its thread forever.
void run_on_rank_threads(int count, const std::function<void(int rank)>& body,
                         const std::function<void(int rank, const std::system_error&)>& refused);

}  // namespace ordercheck::ranks
