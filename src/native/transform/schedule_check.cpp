// Checks of find_fault(): each check assumes that the earlier ones passed.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/wording.h"
#include "native/transform/schedule.h"
#include "native/transform/schedule_writer.h"

namespace ordercheck::ranks {
namespace {

using Fault = std::optional<std::string>;

Fault of_stages(const Schedule& schedule, ScheduleSizes sizes) {
  const auto stages = static_cast<std::size_t>(sizes.ranks) * static_cast<std::size_t>(sizes.stages_per_rank);
  if (schedule.ranks.size() != static_cast<std::size_t>(sizes.ranks))
    return fmt::format("expected the lists of {}, got {}", counted(sizes.ranks, "rank"), schedule.ranks.size());
  if (schedule.rank_of_stage.size() != stages)
    return fmt::format("expected a rank for each of {} stages, got {}", stages, schedule.rank_of_stage.size());
  std::vector<int> owned(schedule.ranks.size(), 0);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const int rank = schedule.rank_of_stage[stage];
    if (rank < 0 || rank >= sizes.ranks)
      return fmt::format("stage {}: expected a rank from 0 to {}, got {}", stage, sizes.ranks - 1, rank);
    ++owned[static_cast<std::size_t>(rank)];
  }
  for (int rank = 0; rank < sizes.ranks; ++rank)
    if (const int got = owned[static_cast<std::size_t>(rank)]; got != sizes.stages_per_rank)
      return fmt::format("rank {}: expected {}, got {}", rank, counted(sizes.stages_per_rank, "stage"), got);
  return std::nullopt;
}

bool may_share(const Slot& slot) {
  const auto is_forward = [](const Action& action) { return action.computation == Computation::forward; };
  return slot.size() < 2 || (slot.size() == 2 && is_forward(slot[0]) && !is_forward(slot[1]));
}

// Returns what this rank's schedule should have instead of `action` ("a stage from 0 to 3"); nullopt if stage, microbatch and
// rank are valid.
std::optional<std::string> expected_of(int rank, const Action& action, const Schedule& schedule, ScheduleSizes sizes) {
  const auto [computation, stage, microbatch] = action;
  const int stages = sizes.ranks * sizes.stages_per_rank;
  if (stage < 0 || stage >= stages) return fmt::format("a stage from 0 to {}", stages - 1);
  if (microbatch < 0 || microbatch >= sizes.microbatches)
    return fmt::format("a microbatch from 0 to {}", sizes.microbatches - 1);
  const int owner = schedule.rank_of_stage[static_cast<std::size_t>(stage)];
  if (owner != rank) return fmt::format("actions of this rank alone, and stage {} is on rank {}", stage, owner);
  return std::nullopt;
}

Fault of_places(const Schedule& schedule, ScheduleSizes sizes) {
  for (int rank = 0; rank < sizes.ranks; ++rank) {
    const RankSchedule& slots = schedule.ranks[static_cast<std::size_t>(rank)];
    for (std::size_t at = 0; at < slots.size(); ++at) {
      const auto wrong = [&](const std::string& expected, const std::string& got) {
        return fmt::format("rank {}, slot {}: expected {}, got {}", rank, at, expected, got);
      };
      if (!may_share(slots[at])) return wrong("nothing, an action, or a forward and a backward", print(slots[at]));
      for (const Action& action : slots[at])
        if (const auto expected = expected_of(rank, action, schedule, sizes)) return wrong(*expected, print(action));
    }
  }
  return std::nullopt;
}

Fault of_counts(const Schedule& schedule, ScheduleSizes sizes) {
  std::map<std::pair<int, int>, std::vector<Action>> found;  // by stage and microbatch
  for (const RankSchedule& slots : schedule.ranks)
    for (const Slot& slot : slots)
      for (const Action& action : slot) found[{action.stage, action.microbatch}].push_back(action);
  for (int stage = 0; stage < sizes.ranks * sizes.stages_per_rank; ++stage) {
    for (int microbatch = 0; microbatch < sizes.microbatches; ++microbatch) {
      const auto of = [&](Computation computation) { return Action{computation, stage, microbatch}; };
      const std::vector<Action> whole{of(Computation::forward), of(Computation::backward)};
      const std::vector<Action> halves{of(Computation::forward), of(Computation::backward_input),
                                       of(Computation::backward_weight)};
      std::vector<Action>& actions = found[{stage, microbatch}];
      std::ranges::sort(actions);
      if (actions == whole || actions == halves) continue;
      std::vector<std::string> got;
      for (const Action& action : actions) got.push_back(print(action));
      return fmt::format("stage {}, microbatch {}: expected {}, and either {} or {} and {}, each once, got {}", stage,
                         microbatch, print(whole[0]), print(whole[1]), print(halves[1]), print(halves[2]),
                         got.empty() ? "nothing" : enumerated(got));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_fault(const Schedule& schedule, ScheduleSizes sizes) {
  for (const auto ask : {of_stages, of_places, of_counts})
    if (Fault fault = ask(schedule, sizes)) return fault;
  return Rehearsal(schedule).run();
}

}  // namespace ordercheck::ranks
