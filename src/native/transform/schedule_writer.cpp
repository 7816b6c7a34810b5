#include "native/transform/schedule_writer.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::ranks {
Action RankWriter::next(Computation computation, int stage) {
  std::map<int, int>& taken = computation == Computation::forward ? forwards_ : backwards_;
  return {computation, stage, taken[stage]++};
}

void RankWriter::idle(int slots) {
  for (int i = 0; i < slots; ++i) written_.emplace_back();
}

void RankWriter::forward(int stage) { written_.push_back({next(Computation::forward, stage)}); }

void RankWriter::backward(int stage) { written_.push_back({next(Computation::backward, stage)}); }

void RankWriter::backward_input(int stage) {
  lacking_.push_back(next(Computation::backward_input, stage));
  written_.push_back({lacking_.back()});
}

void RankWriter::overlapped(int forward_stage, int backward_stage) {
  const Action forward = next(Computation::forward, forward_stage);
  written_.push_back({forward, next(Computation::backward, backward_stage)});
}

void RankWriter::write_weight(std::vector<Action>::iterator of) {
  assert(of != lacking_.end() && "a backward_weight without its backward_input");
  written_.push_back({{Computation::backward_weight, of->stage, of->microbatch}});
  lacking_.erase(of);
}

void RankWriter::backward_weight(int stage) { write_weight(std::ranges::find(lacking_, stage, &Action::stage)); }

void RankWriter::oldest_weight() { write_weight(lacking_.begin()); }

int RankWriter::forwards(int stage) const {
  const auto found = forwards_.find(stage);
  return found == forwards_.end() ? 0 : found->second;
}

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

// Returns the action that gives the stage's input gradient: `backward` if the schedule has it, else `backward_input`.
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

// Returns an action that must run before the slot and has not; nullopt if the slot can run. Actions of one slot start together,
// so neither can wait for the other.
std::optional<Action> Rehearsal::waits_for(const Slot& slot) const {
  for (const Action& action : slot)
    for (const Action& needed : needs(action))
      if (!done_.contains(needed)) return needed;
  return std::nullopt;
}

}  // namespace ordercheck::ranks
