// Runs a world that an external launcher started: one process per rank, on one or more hosts.
//
// Each launched process supervises its rank. For every run it forks a child that is the rank, reports the child's place (step,
// phase, module) ten times a second, forwards its answer and detects its death. So a rank's crash is reported exactly and ends
// only its run; the launcher, which would end the world, never sees it. Ranks meet through the store at the master and
// communicate over Gloo. Rank 0 decides how a run ended (launched_ending.h) and tells the others through the store.
//
// If a launched process, its host or the link to it is lost, no further run is possible: on rank 0, run() returns a result that
// says so; on the others it throws WorldGone.
//
// Thread rules: used by its process's only thread. It owns SIGTERM.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "native/world/launched_ending.h"
#include "native/world/meeting_place.h"
#include "native/world/world.h"
#include "record/flight.h"

namespace ordercheck::ranks {

// Thrown when this process has lost its connection to the world, or the world has ended without it.
class WorldGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LaunchedWorld {
 public:
  // Waits until all ranks have joined. `limit` bounds this wait and the duration of each run. `program` identifies program and
  // versions; it must be equal on all ranks, so that hosts run the same code. Throws WorldGone if a rank does not join or has
  // another `program`; throws as LaunchStore does.
  LaunchedWorld(int rank, int size, const StoreAddress& master, std::chrono::seconds limit, const std::string& program);

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Rank 0 announces the next case (or the end) to all other ranks, which wait for that text in await_announcement().
  void announce(const std::string& what);
  std::string await_announcement();

  // Runs `body` on as many ranks as `mesh` has, the lowest ones. All ranks of the world call it, with equal arguments. On rank
  // 0 it returns as run_process_world() does, except that a rank that was killed, died or timed out is a result too. On other
  // ranks the returned result only says that rank 0 has the real one.
  WorldResult run(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                  std::vector<std::string>& answers);

  // On rank 0: true if a rank was lost, so that no further run is possible.
  bool is_over() const { return over_; }

  // Call after the last announcement. Rank 0 waits up to 5 s until the others have read it, because the store ends with rank 0.
  void part();

 private:
  void join(const std::string& program);
  std::string wrong_with_joined(const std::string& program);
  MeetingPlace meeting_place() const;
  std::string key(const std::string& what, int rank) const;
  void hear(std::vector<HeardRank>& ranks, HeardRank::Time now);
  WorldResult await_end(class LookedAfterRank& own, int size);
  WorldResult await_word(class LookedAfterRank& own);

  int rank_, size_;
  StoreAddress master_;
  std::chrono::seconds limit_;
  LaunchStore store_;
  std::string address_;
  int runs_ = 0;
  int announced_ = 0;
  bool over_ = false;
};

// Reports of a launched rank to rank 0, as texts in the store.

// A heartbeat: the rank's waiting word and place. `number` grows with each beat, so that rank 0 can tell a new one.
struct LaunchedBeat {
  std::uint64_t number = 0;
  std::uint64_t waiting = 0;
  FlightSlot slot;
};

std::string encode(const LaunchedBeat& beat);
std::string encode(const LaunchedEnd& end);

// Throw nlohmann::json's error or std::runtime_error for texts not written by encode().
LaunchedBeat decode_launched_beat(const std::string& text);
LaunchedEnd decode_launched_end(const std::string& text);

}  // namespace ordercheck::ranks
