// Decides how a run in a launched world ends, from the reports that rank 0 gets of all ranks (pure: no clock, no store). Also
// provides the store that carries these reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "native/world/descriptor.h"
#include "native/world/world.h"
#include "record/flight.h"

namespace ordercheck::ranks {

// The last report of a launched process: how its rank ended.
struct LaunchedEnd {
  enum class How {
    answered,   // the rank's program returned
    threw,      // the rank's program threw `thrown`
    died,       // the rank's process ended without an answer; `status` is from waitpid()
    sent_away,  // the launched process got SIGTERM from its launcher
  };
  How how = How::answered;
  int status = 0;
  int step = 0;
  std::string where;  // describe() of the step, phase and module that it was in
  std::optional<WorldResult> thrown;
};

// What rank 0 knows of one rank from its reports.
struct HeardRank {
  using Time = std::chrono::steady_clock::time_point;
  Time heard;                 // when its last heartbeat arrived
  Time changed;               // when `waiting` or `slot` last changed: a rank without change makes no progress
  std::uint64_t beat = 0;     // number of its last heartbeat
  std::uint64_t waiting = 0;  // its waiting word (shared_waiting.h)
  FlightSlot slot;            // the step, phase, module and collective that it reported last
  std::optional<LaunchedEnd> end;
};

// Each rank reports its place ten times per second.
inline constexpr std::chrono::milliseconds kBeat{100};

// Rank 0's clock for deciding that a rank is silent. It does not count the time by which a polling round exceeds two
// heartbeats: rank 0 was blocked and could hear no rank. A TCPStore may block for 5 s or more while it resolves the name of a
// new client (pytorch#159007).
class ListeningTime {
 public:
  explicit ListeningTime(HeardRank::Time began) : round_began_(began) {}
  void begin_round(HeardRank::Time at);

  HeardRank::Time now() const { return round_began_ - held_up_; }
  // This clock at `later`, if polling is not delayed until then.
  HeardRank::Time of(HeardRank::Time later) const { return later - held_up_; }

 private:
  HeardRank::Time round_began_;
  HeardRank::Time::duration held_up_{0};
};

// Returns how the run ended; nullopt while it goes on. All times are from one ListeningTime. An ending of `killed` does not
// blame the stack of transforms: a host, a link or a person ended the run. Each failure message has a line per rank. The first
// match decides:
// - A rank's process died: `killed` after SIGKILL, else `died`. The lowest such rank is named.
// - All ranks ended: the exception of the earliest step, then of the lowest rank; `completed` if no rank threw.
// - `launcher_ends` (rank 0 got SIGTERM): `killed`. Ranks that did not report a SIGTERM are called lost.
// - A rank threw, and another has been silent for 3 s: `killed`. The silent rank is called lost, and the cause of the
//   exception.
// - A rank threw, and all others have waited without progress for 0.5 s: its exception.
// - `limit` is over: `killed` if a rank has been silent for 3 s, else `timed_out`, naming the rank that the others wait for.
std::optional<WorldResult> ending_of(const std::vector<HeardRank>& ranks, HeardRank::Time now, HeardRank::Time limit,
                                     bool launcher_ends);

// The key-value store at a launched world's master: c10d's TCPStore with text values and a time limit.
//
// If a TCPStore's host vanishes silently (a cut link), its client blocks as long as TCP retries. Here a call that takes longer
// than `patience` ends the process with exit code 3 and one line.
//
// Thread rules: one object per process, used by its only thread. It owns SIGALRM and the real-time timer.

struct StoreAddress {
  std::string host;
  int port = 0;
};

class LaunchStore {
 public:
  // Connects; retries until `patience` is over. Throws c10d's error.
  LaunchStore(const StoreAddress& address, int rank, std::chrono::seconds patience);
  ~LaunchStore();
  LaunchStore(const LaunchStore&) = delete;

  // All calls throw c10d's error if the store has ended.
  void set(const std::string& key, const std::string& text);
  std::optional<std::string> find(const std::string& key);  // nullopt if unset
  void forget(const std::string& key);
  std::int64_t add_one(const std::string& key);  // returns the new value

  // For values of any length: set_long() splits the value, because the store accepts 8 MiB at a time. take_long() returns the
  // joined value and deletes it; nullopt until all pieces are set.
  void set_long(const std::string& key, const std::string& text);
  std::optional<std::string> take_long(const std::string& key);

 private:
  c10::intrusive_ptr<c10d::TCPStore> store_;
  std::chrono::seconds patience_;
};

// Opens a new store connection: a forked rank must not share its parent's socket.
c10::intrusive_ptr<c10d::Store> connect_store(const StoreAddress& address, std::chrono::seconds patience);

// Serves a store in a child process during its lifetime, and no longer than this process lives. A separate process keeps the
// caller single-threaded, so that it can fork ranks.
class StoreServer {
 public:
  // Throws std::runtime_error if the port is not available.
  explicit StoreServer(const StoreAddress& address);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

// Returns this machine's address on the route to `host`, at which other machines that reach `host` can reach this one. Throws
// std::runtime_error if the host is unknown or unreachable.
std::string address_towards(const StoreAddress& host);

}  // namespace ordercheck::ranks
