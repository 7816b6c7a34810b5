#include "matrix/lost_run.h"

#include <algorithm>

#include "stack/mesh.h"

namespace ordercheck {
namespace {

bool is_known(const FlightSlot& slot) { return slot.used && !slot.torn; }
bool raised(const FlightSlot& slot) { return slot.fatal_signal != 0 || slot.called_exit; }
bool waits(const FlightSlot& slot) { return !slot.operation.empty(); }
bool busy(const FlightSlot& slot) { return is_known(slot) && !slot.finished && !waits(slot); }

// Index of the first slot in `before` order among those that satisfy `wanted`, or -1.
template <class Wanted, class Before>
int pick(const std::vector<FlightSlot>& slots, Wanted wanted, Before before) {
  int best = -1;
  for (int rank = 0; rank < static_cast<int>(slots.size()); ++rank)
    if (wanted(slots[rank]) && (best < 0 || before(slots[rank], slots[best]))) best = rank;
  return best;
}

bool earlier(const FlightSlot& a, const FlightSlot& b) { return a.ticket < b.ticket; }

// The only rank that is neither finished nor in a collective; -1 if there are several, since any of them may have ended the
// process.
int only_busy(const std::vector<FlightSlot>& slots) {
  return std::count_if(slots.begin(), slots.end(), busy) == 1 ? pick(slots, busy, earlier) : -1;
}

}  // namespace

Failure place_of_failure(Ending ending, const std::vector<FlightSlot>& slots) {
  Failure failure;
  int rank = pick(slots, raised, earlier);
  if (rank < 0) rank = ending == Ending::timed_out ? pick(slots, busy, earlier) : only_busy(slots);
  failure.rank = rank;
  // No rank is busy, so every live rank waits: report the collective that has waited longest.
  if (rank < 0 && std::none_of(slots.begin(), slots.end(), busy))
    rank = pick(slots, [](const FlightSlot& slot) { return is_known(slot) && waits(slot); }, earlier);
  if (rank >= 0 && is_known(slots[rank])) {
    const FlightSlot& slot = slots[rank];
    failure.phase = slot.phase;
    failure.module = slot.module;
    failure.operation = slot.operation;
    failure.group = slot.group;
    failure.sequence = waits(slot) ? slot.sequence : -1;
  }
  for (int each = 0; each < static_cast<int>(slots.size()); ++each) failure.ranks.push_back(describe(each, slots[each]));
  return failure;
}

Record unfinished(const Run& run, const Hello& hello, Ending ending, Failure failure) {
  Record record;
  record.case_text = print(run.subject);
  record.engine = hello.engine;
  record.versions = hello.versions;
  if (hello.devices.size() == 1) record.device = hello.devices[0];
  record.ending = ending;
  record.failure = std::move(failure);
  record.world_size = world_size(mesh_of(run.subject.stack));
  return record;
}

}  // namespace ordercheck
