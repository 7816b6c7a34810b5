// How a launched world ends, by what rank 0 has heard of every rank. Pure: no clock, no store.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "protocol/flight.h"
#include "ranks/comm/descriptor.h"
#include "ranks/comm/world.h"

namespace ordercheck::ranks {

// How a rank ended, or the process that stood for it.
struct LaunchedEnd {
  enum class How {
    answered,   // with what its program returned
    threw,      // `thrown`
    died,       // its process ended without an answer: `status`, as waitpid() says it
    sent_away,  // its launcher ended it (SIGTERM)
  };
  How how = How::answered;
  int status = 0;
  int step = 0;
  std::string where;  // describe() of its place then
  std::optional<WorldResult> thrown;
};

struct HeardRank {
  using Time = std::chrono::steady_clock::time_point;
  Time heard;                 // last
  Time changed;               // since when `waiting` and `slot` are as they are
  std::uint64_t beat = 0;     // the number of what was heard last
  std::uint64_t waiting = 0;  // its word (shared_waiting.h)
  FlightSlot slot;            // where it was
  std::optional<LaunchedEnd> end;
};

// A rank says where it is ten times a second.
inline constexpr std::chrono::milliseconds kBeat{100};

// Rank 0's time, without what a round of hearing takes beyond two beats: in it nobody could be heard, so nobody was silent. A TCPStore
// answers no rank for 5 s and more while it looks up the name of one that connects (pytorch#159007).
class ListeningTime {
 public:
  explicit ListeningTime(HeardRank::Time began) : round_began_(began) {}
  void begin_round(HeardRank::Time at);

  HeardRank::Time now() const { return round_began_ - held_up_; }
  HeardRank::Time of(HeardRank::Time later) const { return later - held_up_; }  // if nothing holds it up until then

 private:
  HeardRank::Time round_began_;
  HeardRank::Time::duration held_up_{0};
};

// Nothing while it goes on. All times are of one ListeningTime. In this order:
//   a rank's process died: `killed` by SIGKILL, else `died`; of several the lowest
//   all ranks ended: what was thrown in the earliest step, then by the lowest rank; else completed
//   the launcher ends the world: `killed`, and if a rank said no goodbye, it is the one that was lost
//   a rank threw, and another has not been heard of for 3 s: that one was lost, and the other's error is of its silence: `killed`
//   a rank threw, and all others wait and have done nothing for half a second: what it threw
//   the limit is over: `killed` if a rank has not been heard of for 3 s, else `timed_out` where the one is that the others wait for
// `killed` says nothing of the stack: a host, a link or a person ended it. Every failure has a line a rank.
std::optional<WorldResult> ending_of(const std::vector<HeardRank>& ranks, HeardRank::Time now, HeardRank::Time limit,
                                     bool launcher_ends);

// The store at the master of a launched world, as one process uses it: c10d's TCPStore, with texts, and with an end to waiting.
//
// A TCPStore whose host is gone without a word, as behind a cut link, blocks its client for as long as TCP tries. Here a call that
// takes longer than `patience` ends the process with exit code 3 and one line.
//
// Thread rules: one object a process, used by its one thread; it owns SIGALRM and the real-time timer.

struct StoreAddress {
  std::string host;
  int port = 0;
};

class LaunchStore {
 public:
  // Connects; tries until `patience` is over. Throws what c10d throws.
  LaunchStore(const StoreAddress& address, int rank, std::chrono::seconds patience);
  ~LaunchStore();
  LaunchStore(const LaunchStore&) = delete;

  // Each throws what c10d throws where the store has ended.
  void set(const std::string& key, const std::string& text);
  std::optional<std::string> find(const std::string& key);  // nothing where nobody has set it
  void forget(const std::string& key);
  std::int64_t add_one(const std::string& key);  // what it is then

  // Of any length: in pieces, since the store takes 8 MiB at once. Only what is there whole is found.
  void set_long(const std::string& key, const std::string& text);
  std::optional<std::string> take_long(const std::string& key);  // and forgets it

 private:
  c10::intrusive_ptr<c10d::TCPStore> store_;
  std::chrono::seconds patience_;
};

// Connects a store for a process group of its own: a rank's process uses no connection of its parent's.
c10::intrusive_ptr<c10d::Store> connect_store(const StoreAddress& address, std::chrono::seconds patience);

// Serves a store in a process of its own for as long as this lives, and no longer than this process: the caller stays without
// threads, so that it can fork ranks.
class StoreServer {
 public:
  // Throws std::runtime_error where the port cannot be had.
  explicit StoreServer(const StoreAddress& address);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

// The address of this machine from which `host` is reached: what another machine that reaches `host` can reach this one at.
// Throws std::runtime_error where the host is not known or there is no way to it.
std::string address_towards(const StoreAddress& host);

}  // namespace ordercheck::ranks
