// Provides the schedule families: each writes the list of one rank, for sizes that make_schedule() accepts.
#pragma once

#include "native/transform/schedule.h"

namespace ordercheck::ranks {

RankSchedule gpipe(int rank, ScheduleSizes sizes);
RankSchedule one_forward_one_backward(int rank, ScheduleSizes sizes);
RankSchedule interleaved(int rank, ScheduleSizes sizes);
RankSchedule zero_bubble(int rank, ScheduleSizes sizes);
RankSchedule zbv(int rank, ScheduleSizes sizes);
RankSchedule dual_pipe_v(int rank, ScheduleSizes sizes);

// zero_bubble() writes each rank's forwards without waiting for other ranks. This inserts bubbles, so that each forward comes
// after that of the previous stage. Backwards do not move, because PyTorch delays only forwards.
std::vector<RankSchedule> with_forwards_in_time(const std::vector<RankSchedule>& ranks);

// Interleaved stages run microbatches in equal rounds, each of at least as many microbatches as ranks, if there are enough.
inline int rounds(ScheduleSizes sizes) { return sizes.microbatches < sizes.ranks ? 1 : sizes.microbatches / sizes.ranks; }

}  // namespace ordercheck::ranks
