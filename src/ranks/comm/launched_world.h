// A world whose ranks an outside launcher started, a process each, on one host or several.
//
// Each of these processes looks after its rank: for every run it forks one that is the rank, says ten times a second where that is, hands
// on its answer, and sees how it died. So a rank's crash is told exactly, costs its run alone, and the launcher, which would end the
// world for it, never sees it. Ranks meet through the store at the master, and talk over Gloo. Rank 0 decides how a run ended
// (launched_ending.h) and tells the others through the store.
//
// A process that dies itself, or its host, or the link to it, is lost to the world, which then ends: on rank 0 with a result that says so,
// on the others with WorldGone.
//
// Thread rules: used by its process's one thread. It owns SIGTERM.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/flight.h"
#include "ranks/comm/launched_ending.h"
#include "ranks/comm/meeting_place.h"
#include "ranks/comm/world.h"

namespace ordercheck::ranks {

// This process has no world any more.
class WorldGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LaunchedWorld {
 public:
  // Waits until all ranks are here. `limit` is for that, and then for each run. `program` must be the same text on all ranks: what would run
  // differently on two hosts is refused. Throws WorldGone where a rank does not come or runs another program, and as LaunchStore does.
  LaunchedWorld(int rank, int size, const StoreAddress& master, std::chrono::seconds limit, const std::string& program);

  int rank() const { return rank_; }
  int size() const { return size_; }

  // What rank 0 says that is to be done next, and on the others what it said.
  void announce(const std::string& what);
  std::string await_announcement();

  // The next run, on as many of the first ranks as `mesh` has. Called by all ranks. On rank 0 as run_process_world(), but what ends
  // in another way than by itself is the result too; on the others the result says only that they are not the one to tell.
  WorldResult run(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                  std::vector<std::string>& answers);

  // On rank 0: whether a rank was lost, so that nothing more can be run.
  bool is_over() const { return over_; }

  // After the last announcement: rank 0 waits, for some seconds at most, until the others have read it, since the store goes with it.
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

// What a rank of a launched world tells rank 0 through the store, as texts.

// "Here I am": the number grows with each, so that who reads it again knows that it is new.
struct LaunchedBeat {
  std::uint64_t number = 0;
  std::uint64_t waiting = 0;
  FlightSlot slot;
};

std::string encode(const LaunchedBeat& beat);
std::string encode(const LaunchedEnd& end);

// Throw what nlohmann::json throws, or std::runtime_error, for texts that encode() did not write.
LaunchedBeat decode_launched_beat(const std::string& text);
LaunchedEnd decode_launched_end(const std::string& text);

}  // namespace ordercheck::ranks
