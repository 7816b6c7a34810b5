#include "native/world/current_module.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "native/world/thread_world.h"

namespace ordercheck::ranks {
namespace {

thread_local const BlameScope* innermost = nullptr;

void tell_flight() {
  const RankState* rank = find_rank();
  if (rank && rank->flight()) rank->flight()->at_module(rank->rank, rank->phase(), blamed_module(*rank));
}

}  // namespace

BlameScope::BlameScope(std::string module)
    : module_(std::move(module)), called_from_(find_rank() ? find_rank()->module() : ""), outer_(innermost) {
  innermost = this;
  tell_flight();
}

BlameScope::~BlameScope() {
  innermost = outer_;
  tell_flight();
}

const std::string& blamed_module(const RankState& rank) {
  return innermost && rank.module() == innermost->called_from_ ? innermost->module_ : rank.module();
}

FlightSlot place_of(const RankState& rank) {
  FlightSlot place;
  place.used = true;
  place.step = rank.step();
  place.phase = rank.phase();
  place.module = blamed_module(rank);
  return place;
}

namespace {

using RankThreads = std::vector<std::unique_ptr<RankThread>>;

std::vector<std::string> describe_all(const RankThreads& ranks) {
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) lines.push_back(describe(static_cast<int>(rank), ranks[rank]->place));
  return lines;
}

// Returns a failure of `rank`, at the step, phase, module and collective of `place`.
WorldResult failure_at(Ending ending, int rank, const FlightSlot& place, std::string message) {
  return {.ending = ending,
          .failure = Failure{.phase = place.phase,
                             .rank = rank,
                             .module = place.module,
                             .operation = place.operation,
                             .group = place.group,
                             .sequence = place.sequence,
                             .message = std::move(message),
                             .ranks = {}}};
}

std::optional<WorldResult> find_thrown(const RankThreads& ranks) {
  const RankThread* first = nullptr;
  for (const auto& rank : ranks)
    if (rank->thrown && (!first || rank->place.step < first->place.step)) first = rank.get();
  return first ? first->thrown : std::nullopt;
}

// Returns a failure of `rank` in the collective or message `meeting`. Its place is where the rank is now; if it is not waiting
// in `meeting`, the operation, group and number are those of `meeting`.
WorldResult failure_in(const Rendezvous& meeting, const RankThreads& ranks, int rank, std::string message) {
  FlightSlot place = ranks[rank]->place;
  if (ranks[rank]->awaited.get() != &meeting) {  // it issued and finished, or waits elsewhere
    const auto seat = std::ranges::find(meeting.ranks, rank) - meeting.ranks.begin();
    place.operation = name_of(meeting.offers[seat]->operation);
    place.group = meeting.group;
    place.sequence = meeting.number;
  }
  return failure_at(Ending::failed, rank, place, std::move(message));
}

std::optional<WorldResult> find_disagreeing(const RankThreads& ranks, const std::vector<std::shared_ptr<ThreadGroup>>& groups) {
  for (const auto& group : groups) {
    for (const auto& [key, meeting] : group->open) {
      if (const auto disagreement = find_disagreement(*meeting))
        return failure_in(*meeting, ranks, disagreement->first, disagreement->message);
      if (!meeting->error.empty()) {
        return failure_in(*meeting, ranks, meeting->ranks[0],
                          fmt::format("{} as {}: {}", signature(*meeting->offers[0]), place_text(*meeting), meeting->error));
      }
    }
  }
  return std::nullopt;
}

// Returns where a rank waits: "waits in all_gather #7 on dp_shard (layers.0, forward)".
std::string wait_text(const RankThread& rank) {
  const FlightSlot& place = rank.place;
  const Rendezvous& meeting = *rank.awaited;
  std::string text = fmt::format("waits in {} #{}", place.operation, place.sequence);
  if (meeting.channel.is_message()) {
    const bool sends = place.operation == name_of(Operation::send);
    text += fmt::format(" {} rank {}, tag {},", sends ? "to" : "from", meeting.ranks[sends ? 1 : 0], meeting.channel.tag);
  }
  return text +
         fmt::format(" on {} ({}{})", place.group, place.module.empty() ? "" : place.module + ", ", name_of(place.phase));
}

std::optional<WorldResult> find_deadlock(const RankThreads& ranks) {
  std::vector<std::string> texts;
  std::optional<int> first;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank]->awaited && !first) first = static_cast<int>(rank);
    texts.push_back(fmt::format("rank {} {}", rank, ranks[rank]->awaited ? wait_text(*ranks[rank]) : std::string("finished")));
  }
  if (!first) return std::nullopt;
  return failure_at(Ending::deadlocked, *first, ranks[*first]->place,
                    fmt::format("no rank can go on: {}", fmt::join(texts, "; ")));
}

// Returns a failure if a rank issued an operation, never waited for it, and all ranks ended without the others joining it;
// nullopt otherwise.
std::optional<WorldResult> find_undelivered(const RankThreads& ranks, const std::vector<std::shared_ptr<ThreadGroup>>& groups) {
  for (const auto& group : groups) {
    for (const auto& [key, meeting] : group->open) {
      std::vector<int> came, missing;
      for (std::size_t i = 0; i < meeting->ranks.size(); ++i)
        (meeting->offers[i] ? came : missing).push_back(meeting->ranks[i]);
      const auto seat = std::ranges::find(meeting->ranks, came[0]) - meeting->ranks.begin();
      return failure_in(*meeting, ranks, came[0],
                        fmt::format("rank {} issued {} as {} and finished; rank {} finished without it", fmt::join(came, ", "),
                                    signature(*meeting->offers[seat]), place_text(*meeting), fmt::join(missing, ", ")));
    }
  }
  return std::nullopt;
}

}  // namespace

WorldResult diagnose(const RankThreads& ranks, const std::vector<std::shared_ptr<ThreadGroup>>& groups) {
  std::optional<WorldResult> cause = find_thrown(ranks);
  if (!cause) cause = find_disagreeing(ranks, groups);
  if (!cause) cause = find_deadlock(ranks);
  if (!cause) cause = find_undelivered(ranks, groups);
  if (!cause) return {};
  cause->failure->ranks = describe_all(ranks);
  return *cause;
}

}  // namespace ordercheck::ranks
