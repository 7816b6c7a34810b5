// The ZBV schedule: two stages per rank, one on the way down the V and one on the way up. A full pipeline has no bubbles if
// forward, input backward and weight backward take equally long.
#include <algorithm>

#include "native/transform/schedule_families.h"
#include "native/transform/schedule_writer.h"

namespace ordercheck::ranks {
RankSchedule zbv(int rank, ScheduleSizes sizes) {
  const int down = rank, up = 2 * sizes.ranks - 1 - rank, behind = sizes.ranks - rank;
  // With too few microbatches to fill the pipeline, schedule as if there were enough; the extra ones become bubbles.
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
  // Other ranks wait for the last input backwards, but not for this rank's weights.
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

// The DualPipeV schedule: ZBV's V in which one microbatch's forward shares a slot with another's backward, so that computation
// hides communication.
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
      // At the tip of the V, other ranks wait for this forward, so it does not share its slot.
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
  // From the middle on, delay weights to fill the wait for the last backwards.
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
