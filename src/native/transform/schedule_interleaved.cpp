// Schedules with several stages per rank. A round takes its microbatches through all local stages, one stage after the other;
// then the next round starts.
#include <algorithm>
#include <set>

#include "native/transform/schedule_families.h"
#include "native/transform/schedule_writer.h"

namespace ordercheck::ranks {
namespace {

// For rank `rank`: which local stage its next forward or backward belongs to, given how many of them have run.
struct Turns {
  int rank;
  ScheduleSizes sizes;

  int per_round() const { return sizes.microbatches / rounds(sizes); }
  int total() const { return sizes.stages_per_rank * sizes.microbatches; }
  int forward(int run) const { return stage(run / per_round() % sizes.stages_per_rank); }
  int backward(int run) const { return stage(sizes.stages_per_rank - 1 - run / per_round() % sizes.stages_per_rank); }

  // Forwards before the first backward: a round of all stages but the last, plus some for each later rank.
  int warmup(int for_each_rank_behind) const {
    return std::min((sizes.stages_per_rank - 1) * per_round() + for_each_rank_behind * behind(), total());
  }
  int behind() const { return sizes.ranks - 1 - rank; }

 private:
  int stage(int local) const { return local * sizes.ranks + rank; }
};

}  // namespace

RankSchedule interleaved(int rank, ScheduleSizes sizes) {
  const Turns turns{rank, sizes};
  const int warmup = turns.warmup(2);
  RankWriter writer;
  writer.idle(rank);
  for (int i = 0; i < warmup; ++i) writer.forward(turns.forward(i));
  // Idle until the first backward can arrive: it takes two slots per later rank. A rank without warm-up starts at once.
  const int first_backward = sizes.stages_per_rank * sizes.ranks + 2 * turns.behind();
  if (warmup > 0) writer.idle(first_backward - (rank + warmup));
  for (int i = warmup; i < turns.total(); ++i) {
    writer.forward(turns.forward(i));
    writer.backward(turns.backward(i - warmup));
  }
  // Leave a bubble before each backward: earlier ranks still run a forward in that slot.
  for (int i = turns.total() - warmup; i < turns.total(); ++i) {
    writer.idle(1);
    writer.backward(turns.backward(i));
  }
  return writer.written();
}

RankSchedule zero_bubble(int rank, ScheduleSizes sizes) {
  const Turns turns{rank, sizes};
  const int warmup = turns.warmup(1);
  RankWriter writer;
  writer.idle(rank);
  for (int i = 0; i < warmup; ++i) writer.forward(turns.forward(i));
  writer.idle(turns.behind());
  for (int i = 0; i < turns.total(); ++i) {
    if (warmup + i < turns.total()) writer.forward(turns.forward(warmup + i));
    writer.backward_input(turns.backward(i));
    // From here on, each backward also runs the oldest weight gradient. A rank delays as many of them as there are ranks before
    // it, to fill the wait for their last backwards.
    if (i >= rank) writer.oldest_weight();
  }
  while (writer.lacks_weights()) writer.oldest_weight();
  return writer.written();
}

std::vector<RankSchedule> with_forwards_in_time(const std::vector<RankSchedule>& ranks) {
  std::vector<RankSchedule> delayed(ranks.size());
  std::vector<std::size_t> next(ranks.size(), 0);
  std::set<Action> done;
  const auto is_early = [&](const Action& action) {
    const Action before{Computation::forward, action.stage - 1, action.microbatch};
    return action.computation == Computation::forward && action.stage > 0 && !done.contains(before);
  };
  for (bool ended = false; !ended;) {
    ended = true;
    std::set<Action> done_now;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (next[rank] == ranks[rank].size()) continue;
      ended = false;
      const Slot& slot = ranks[rank][next[rank]];
      const bool early = std::ranges::any_of(slot, is_early);
      delayed[rank].push_back(early ? Slot{} : slot);
      if (early) continue;
      done_now.insert(slot.begin(), slot.end());
      ++next[rank];
    }
    done.merge(done_now);
  }
  return delayed;
}

// Schedules with one stage per rank.
RankSchedule gpipe(int rank, ScheduleSizes sizes) {
  RankWriter writer;
  for (int i = 0; i < sizes.microbatches; ++i) writer.forward(rank);
  for (int i = 0; i < sizes.microbatches; ++i) writer.backward(rank);
  return writer.written();
}

RankSchedule one_forward_one_backward(int rank, ScheduleSizes sizes) {
  // Run as many forwards ahead as there are later stages, so that no stage keeps more microbatches than that.
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
