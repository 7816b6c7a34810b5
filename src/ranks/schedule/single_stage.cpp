// Schedules with one stage on each rank.
#include "ranks/schedule/families.h"
#include "ranks/schedule/rank_writer.h"

namespace ordercheck::ranks {

RankSchedule gpipe(int rank, ScheduleSizes sizes) {
  RankWriter writer;
  for (int i = 0; i < sizes.microbatches; ++i) writer.forward(rank);
  for (int i = 0; i < sizes.microbatches; ++i) writer.backward(rank);
  return writer.written();
}

RankSchedule one_forward_one_backward(int rank, ScheduleSizes sizes) {
  // As many forwards ahead as there are stages behind, so that no stage keeps more microbatches than that.
  const int ahead = sizes.ranks - 1 - rank;
  RankWriter writer;
  for (int i = 0; i < ahead; ++i) writer.forward(rank);
  for (int i = ahead; i < sizes.microbatches; ++i) {
    writer.forward(rank);
    writer.backward(rank);
  }
  for (int i = 0; i < ahead; ++i) writer.backward(rank);
  return writer.written();
}

}  // namespace ordercheck::ranks
