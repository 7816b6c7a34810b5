#include "native/transform/schedule.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "native/transform/schedule_families.h"

namespace ordercheck::ranks {
namespace {

using WriteRank = RankSchedule (*)(int rank, ScheduleSizes sizes);

WriteRank family_of(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::gpipe: return gpipe;
    case ScheduleKind::one_forward_one_backward: return one_forward_one_backward;
    case ScheduleKind::interleaved: return interleaved;
    case ScheduleKind::zero_bubble: return zero_bubble;
    case ScheduleKind::zbv: return zbv;
    case ScheduleKind::dual_pipe_v: return dual_pipe_v;
  }
  return nullptr;
}

bool is_v(ScheduleKind kind) { return kind == ScheduleKind::zbv || kind == ScheduleKind::dual_pipe_v; }

// Returns the stages per rank that a schedule requires; 0 if any number works.
int stages_owed(ScheduleKind kind) {
  if (is_v(kind)) return 2;
  return kind == ScheduleKind::gpipe || kind == ScheduleKind::one_forward_one_backward ? 1 : 0;
}

std::optional<std::string> refusal(ScheduleKind kind, ScheduleSizes sizes) {
  const auto [ranks, stages_per_rank, microbatches] = sizes;
  if (ranks < 1 || stages_per_rank < 1 || microbatches < 1)
    return fmt::format("expected at least 1 rank, 1 stage a rank and 1 microbatch, got {}, {} and {}", ranks, stages_per_rank,
                       microbatches);
  const int owed = stages_owed(kind), stages = ranks * stages_per_rank;
  if (owed != 0 && stages_per_rank != owed)
    return fmt::format("expected {} a rank, got {}", counted(owed, "stage"), stages_per_rank);
  if ((kind == ScheduleKind::one_forward_one_backward || kind == ScheduleKind::dual_pipe_v) && microbatches < stages)
    return fmt::format("expected at least as many microbatches as its {}, got {}", counted(stages, "stage"), microbatches);
  if (owed == 0 && microbatches % rounds(sizes) != 0)
    return fmt::format("expected microbatches in {} equal rounds, one for every {}, as many as ranks, got {}", rounds(sizes),
                       ranks, microbatches);
  return std::nullopt;
}

}  // namespace

Result<Schedule> make_schedule(ScheduleKind kind, ScheduleSizes sizes) {
  if (const auto why = refusal(kind, sizes)) return Error{fmt::format("pipeline schedule {}: {}", name_of(kind), *why)};
  Schedule schedule;
  for (int stage = 0; stage < sizes.ranks * sizes.stages_per_rank; ++stage) {
    const int place = stage % sizes.ranks;
    schedule.rank_of_stage.push_back(is_v(kind) && stage >= sizes.ranks ? sizes.ranks - 1 - place : place);
  }
  const WriteRank family = family_of(kind);
  for (int rank = 0; rank < sizes.ranks; ++rank) schedule.ranks.push_back(family(rank, sizes));
  if (kind == ScheduleKind::zero_bubble) schedule.ranks = with_forwards_in_time(schedule.ranks);
  return schedule;
}

std::string print(const Action& action) {
  return fmt::format("{}{}{}", action.stage, "FBIW"[static_cast<int>(action.computation)], action.microbatch);
}

std::string print(const Slot& slot) {
  std::vector<std::string> actions;
  for (const Action& action : slot) actions.push_back(print(action));
  return actions.size() < 2 ? join(actions, "") : fmt::format("({})OVERLAP_F_B", join(actions, ";"));
}

}  // namespace ordercheck::ranks
