#include "ranks/schedule/rehearsal.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::ranks {

Rehearsal::Rehearsal(const Schedule& schedule) : schedule_(schedule), next_(schedule.ranks.size(), 0) {
  for (const RankSchedule& slots : schedule.ranks)
    for (const Slot& slot : slots) given_.insert(slot.begin(), slot.end());
}

std::optional<std::string> Rehearsal::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < next_.size(); ++rank) {
      while (!at_end(rank) && !waits_for(slot_of(rank))) {
        done_.insert(slot_of(rank).begin(), slot_of(rank).end());
        ++next_[rank];
        moved = true;
      }
    }
  }
  std::vector<std::string> waiting;
  for (std::size_t rank = 0; rank < next_.size(); ++rank) {
    if (at_end(rank)) continue;
    const Slot& slot = slot_of(rank);
    waiting.push_back(
        fmt::format("rank {} at {} in slot {}, which waits for {}", rank, print(slot), next_[rank], print(*waits_for(slot))));
  }
  if (waiting.empty()) return std::nullopt;
  return fmt::format("these never run: {}", join(waiting, "; "));
}

// All of a stage's backward, or the half of it that the stage before waits for.
Action Rehearsal::backward_of(int stage, int microbatch) const {
  const Action whole{Computation::backward, stage, microbatch};
  return given_.contains(whole) ? whole : Action{Computation::backward_input, stage, microbatch};
}

std::vector<Action> Rehearsal::needs(const Action& action) const {
  const auto [computation, stage, microbatch] = action;
  if (computation == Computation::backward_weight) return {{Computation::backward_input, stage, microbatch}};
  std::vector<Action> needed;
  if (computation == Computation::forward) {
    if (stage > 0) needed.push_back({Computation::forward, stage - 1, microbatch});
    return needed;
  }
  needed.push_back({Computation::forward, stage, microbatch});
  const bool is_last = static_cast<std::size_t>(stage) + 1 == schedule_.rank_of_stage.size();
  if (!is_last) needed.push_back(backward_of(stage + 1, microbatch));
  return needed;
}

// Actions that share a slot start together: neither can wait for the other.
std::optional<Action> Rehearsal::waits_for(const Slot& slot) const {
  for (const Action& action : slot)
    for (const Action& needed : needs(action))
      if (!done_.contains(needed)) return needed;
  return std::nullopt;
}

}  // namespace ordercheck::ranks
