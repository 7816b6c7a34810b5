// The ZBV schedule: two stages on each rank, one on the way down the V and one on the way up, and no bubble once it is full, if
// a forward, an input's backward and the weights' take equally long.
#include <algorithm>

#include "ranks/schedule/families.h"
#include "ranks/schedule/rank_writer.h"

namespace ordercheck::ranks {
RankSchedule zbv(int rank, ScheduleSizes sizes) {
  const int down = rank, up = 2 * sizes.ranks - 1 - rank, behind = sizes.ranks - rank;
  // Fewer microbatches than fill the pipeline run as if they were so many, with bubbles in the place of the others.
  const int microbatches = std::max(sizes.microbatches, 2 * sizes.ranks - 1);
  RankWriter writer;
  const auto both_halves = [&](int stage) {
    writer.backward_input(stage);
    writer.backward_weight(stage);
  };

  writer.idle(rank);
  for (int i = 0; i < 2 * behind - 1; ++i) writer.forward(down);
  for (int i = 0; i < rank; ++i) {
    writer.forward(up);
    writer.forward(down);
  }
  for (int i = 0; i < behind; ++i) {
    writer.forward(up);
    both_halves(up);
  }
  while (writer.forwards(up) < microbatches) {
    if (writer.forwards(down) < microbatches) writer.forward(down);
    both_halves(down);
    writer.forward(up);
    both_halves(up);
  }
  // The last backwards are waited for by others; the weights of this rank are not.
  for (int i = 0; i < rank; ++i) {
    writer.backward_input(down);
    writer.backward_input(up);
  }
  for (int i = 0; i < behind; ++i) {
    writer.backward_input(down);
    writer.backward_weight(down);
  }
  for (int i = 0; i < rank; ++i) writer.backward_weight(up);
  for (int i = 0; i < rank; ++i) writer.backward_weight(down);

  RankSchedule slots = writer.written();
  for (Slot& slot : slots) std::erase_if(slot, [&](const Action& action) { return action.microbatch >= sizes.microbatches; });
  return slots;
}

// The DualPipeV schedule: the V of ZBV, where the forward of one microbatch and the backward of another share a slot, so that
// the communication of one hides behind the computation of the other.
RankSchedule dual_pipe_v(int rank, ScheduleSizes sizes) {
  const int down = rank, up = 2 * sizes.ranks - 1 - rank, behind = sizes.ranks - 1 - rank;
  RankWriter writer;
  for (int i = 0; i < 2 * behind; ++i) writer.forward(down);
  for (int i = 0; i <= rank; ++i) {
    writer.forward(down);
    writer.forward(up);
  }
  for (int i = 0; i < behind; ++i) {
    writer.backward_input(up);
    writer.oldest_weight();
    writer.forward(up);
  }
  for (int i = 0; i < sizes.microbatches - 2 * sizes.ranks + rank + 1; ++i) {
    if (i == 0 && behind == 0) {
      // At the tip of the V the other ranks wait for this forward: it does not share its slot.
      writer.forward(down);
      writer.backward(up);
    } else {
      writer.overlapped(down, up);
    }
    writer.overlapped(up, down);
  }
  for (int i = 0; i < behind; ++i) {
    writer.backward(up);
    writer.overlapped(up, down);
  }
  // From the middle on, weights are put off to fill the wait for the last backwards.
  for (int i = 0; i < 2 * (rank + 1); ++i) {
    const int stage = i % 2 == 0 ? up : down;
    if (i <= rank)
      writer.backward(stage);
    else
      writer.backward_input(stage);
  }
  for (int i = 0; i < behind; ++i) {
    writer.oldest_weight();
    writer.backward_input(down);
  }
  while (writer.lacks_weights()) writer.oldest_weight();
  return writer.written();
}

}  // namespace ordercheck::ranks
