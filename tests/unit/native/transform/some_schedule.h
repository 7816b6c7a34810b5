// Schedules for tests: of any kind and sizes, and as text.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "native/transform/schedule.h"

namespace ordercheck::ranks {

// A bubble prints as a dot.
inline std::string text_of(const RankSchedule& slots) {
  std::vector<std::string> printed;
  for (const Slot& slot : slots) printed.push_back(slot.empty() ? "." : print(slot));
  return join(printed, " ");
}

inline std::vector<std::string> texts_of(const Schedule& schedule) {
  std::vector<std::string> texts;
  for (const RankSchedule& slots : schedule.ranks) texts.push_back(text_of(slots));
  return texts;
}

struct Drawn {
  ScheduleKind kind;
  ScheduleSizes sizes;
  Schedule schedule;
};

// Of sizes that the kind takes.
inline Drawn drawn_schedule() {
  const auto kind = *rc::gen::elementOf(all_of<ScheduleKind>());
  const bool is_v = kind == ScheduleKind::zbv || kind == ScheduleKind::dual_pipe_v;
  const bool takes_any = kind == ScheduleKind::interleaved || kind == ScheduleKind::zero_bubble;
  const int stages_per_rank = takes_any ? *rc::gen::inRange(1, 5) : is_v ? 2 : 1;
  const ScheduleSizes sizes{*rc::gen::inRange(1, 9), stages_per_rank, *rc::gen::inRange(1, 33)};
  const Result<Schedule> schedule = make_schedule(kind, sizes);
  RC_PRE(static_cast<bool>(schedule));
  return {kind, sizes, *schedule};
}

}  // namespace ordercheck::ranks
