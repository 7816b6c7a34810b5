// The families of schedules: each writes the list of one rank, of sizes that make_schedule() lets pass.
#pragma once

#include "ranks/schedule/schedule.h"

namespace ordercheck::ranks {

RankSchedule gpipe(int rank, ScheduleSizes sizes);
RankSchedule one_forward_one_backward(int rank, ScheduleSizes sizes);
RankSchedule interleaved(int rank, ScheduleSizes sizes);
RankSchedule zero_bubble(int rank, ScheduleSizes sizes);
RankSchedule zbv(int rank, ScheduleSizes sizes);
RankSchedule dual_pipe_v(int rank, ScheduleSizes sizes);

// zero_bubble() starts forwards where they would be in a full pipeline; here each waits for that of the stage before, a bubble
// a slot. Backwards stay: PyTorch delays forwards alone.
std::vector<RankSchedule> with_forwards_in_time(const std::vector<RankSchedule>& ranks);

// The microbatches of interleaved stages run in equal rounds, each at least as long as there are ranks, if there are so many.
inline int rounds(ScheduleSizes sizes) { return sizes.microbatches < sizes.ranks ? 1 : sizes.microbatches / sizes.ranks; }

}  // namespace ordercheck::ranks
