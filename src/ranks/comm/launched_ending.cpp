#include "ranks/comm/launched_ending.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ranks/comm/shared_waiting.h"

namespace ordercheck::ranks {
namespace {

using How = LaunchedEnd::How;
using Time = HeardRank::Time;
using Ranks = std::vector<HeardRank>;

constexpr std::chrono::milliseconds kStill = 5 * kBeat;
constexpr std::chrono::milliseconds kRecent = 3 * kBeat;
constexpr std::chrono::milliseconds kSilent = 30 * kBeat;
constexpr std::chrono::milliseconds kNoGoodbye = 4 * kBeat;
constexpr std::chrono::milliseconds kRound = 2 * kBeat;

bool ended(const HeardRank& rank, How how) { return rank.end && rank.end->how == how; }
bool waits(const HeardRank& rank) { return !rank.slot.operation.empty(); }

std::string place_text(int rank, const HeardRank& heard) {
  return heard.end && !heard.end->where.empty() ? heard.end->where : describe(rank, heard.slot);
}

WorldResult ended_at(Ending ending, const Ranks& ranks, int rank, std::string message) {
  Failure failure{.rank = rank, .message = std::move(message)};
  if (rank >= 0 && ranks[rank].slot.used) {
    const FlightSlot& slot = ranks[rank].slot;
    failure.phase = slot.phase;
    failure.module = slot.module;
    failure.operation = slot.operation;
    failure.group = slot.group;
    failure.sequence = waits(ranks[rank]) ? slot.sequence : -1;
  }
  for (int each = 0; each < static_cast<int>(ranks.size()); ++each) failure.ranks.push_back(place_text(each, ranks[each]));
  return {.ending = ending, .failure = std::move(failure)};
}

std::vector<int> silent_ranks(const Ranks& ranks, Time now, std::chrono::milliseconds since) {
  std::vector<int> silent;
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank)
    if (!ranks[rank].end && now - ranks[rank].heard >= since) silent.push_back(rank);
  return silent;
}

WorldResult lost(const Ranks& ranks, const std::vector<int>& silent, std::string_view when) {
  return ended_at(Ending::killed, ranks, silent.front(),
                  fmt::format("rank {} {}: its process or its host is gone, or the link to it", fmt::join(silent, ", "), when));
}

std::optional<WorldResult> death(const Ranks& ranks) {
  const auto dead = std::ranges::find_if(ranks, [](const HeardRank& rank) { return ended(rank, How::died); });
  if (dead == ranks.end()) return std::nullopt;
  const int status = dead->end->status;
  const bool by_signal = WIFSIGNALED(status);
  const Ending ending = by_signal && WTERMSIG(status) == SIGKILL ? Ending::killed : Ending::died;
  const auto how = by_signal ? fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return ended_at(ending, ranks, static_cast<int>(dead - ranks.begin()), "the rank's process " + how);
}

// What was thrown first.
std::optional<WorldResult> first_thrown(const Ranks& ranks) {
  const LaunchedEnd* first = nullptr;
  for (const HeardRank& rank : ranks)
    if (ended(rank, How::threw) && (!first || rank.end->step < first->step)) first = &*rank.end;
  if (!first) return std::nullopt;
  WorldResult result = *first->thrown;
  result.failure->ranks.clear();
  for (int each = 0; each < static_cast<int>(ranks.size()); ++each)
    result.failure->ranks.push_back(place_text(each, ranks[each]));
  return result;
}

// Of those that neither finished nor wait, the one that did something longest ago; where all wait, the one that waits longest.
int waited_for(const Ranks& ranks) {
  int found = -1;
  const auto look = [&](auto wanted) {
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank)
      if (!ranks[rank].end && wanted(ranks[rank]) && (found < 0 || ranks[rank].changed < ranks[found].changed)) found = rank;
  };
  look([](const HeardRank& rank) { return !waits(rank) && !Waiting::is_waiting(rank.waiting); });
  if (found < 0) look([](const HeardRank&) { return true; });
  return found;
}

// It has said so for a while, and said so just now: one that is gone is not at rest.
bool at_rest(const HeardRank& rank, Time now) {
  return rank.end || (Waiting::is_waiting(rank.waiting) && rank.heard - rank.changed >= kStill && now - rank.heard < kRecent);
}

}  // namespace

void ListeningTime::begin_round(Time at) {
  held_up_ += std::max(at - round_began_ - kRound, Time::duration(0));
  round_began_ = at;
}

std::optional<WorldResult> ending_of(const Ranks& ranks, Time now, Time limit, bool launcher_ends) {
  if (auto died = death(ranks)) return died;
  auto thrown = first_thrown(ranks);
  const bool all_ended =
      std::ranges::all_of(ranks, [](const HeardRank& rank) { return ended(rank, How::answered) || ended(rank, How::threw); });
  if (all_ended) return thrown ? *thrown : WorldResult{};
  if (launcher_ends) {
    const auto silent = silent_ranks(ranks, now, kNoGoodbye);
    return silent.empty() ? ended_at(Ending::killed, ranks, -1, "the launcher ended the ranks (SIGTERM)")
                          : lost(ranks, silent, "said no more when the launcher ended the others");
  }
  const auto silent = silent_ranks(ranks, now, kSilent);
  if (thrown && !silent.empty()) return lost(ranks, silent, "has not been heard of for 3 s");
  if (thrown && std::ranges::all_of(ranks, [&](const HeardRank& rank) { return at_rest(rank, now); })) return thrown;
  if (now < limit) return std::nullopt;
  if (!silent.empty()) return lost(ranks, silent, "has not been heard of for 3 s when the time was up");
  return ended_at(Ending::timed_out, ranks, waited_for(ranks), "the time was up before all ranks had answered");
}

}  // namespace ordercheck::ranks
