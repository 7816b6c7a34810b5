// How a launched world ends, by what rank 0 has heard of every rank. Pure: no clock, no store.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/flight.h"
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
  std::uint64_t waiting = 0;  // its word (waiting.h)
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

}  // namespace ordercheck::ranks
