#include "native/transform/schedule.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/native/transform/some_schedule.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> made(ScheduleKind kind, ScheduleSizes sizes) {
  const Result<Schedule> schedule = make_schedule(kind, sizes);
  return schedule ? texts_of(*schedule) : std::vector{schedule.error().message};
}

TEST(MakeSchedule, GPipeRunsAllForwardsFirst) {
  EXPECT_THAT(made(ScheduleKind::gpipe, {2, 1, 2}), ElementsAre("0F0 0F1 0B0 0B1", "1F0 1F1 1B0 1B1"));
}

TEST(MakeSchedule, OneForwardOneBackwardAlternates) {
  EXPECT_THAT(made(ScheduleKind::one_forward_one_backward, {3, 1, 3}),
              ElementsAre("0F0 0F1 0F2 0B0 0B1 0B2", "1F0 1F1 1B0 1F2 1B1 1B2", "2F0 2B0 2F1 2B1 2F2 2B2"));
}

TEST(MakeSchedule, InterleavedTakesARoundThroughAllStagesOfARank) {
  EXPECT_THAT(made(ScheduleKind::interleaved, {2, 2, 2}),
              ElementsAre("0F0 0F1 2F0 2F1 . . . 2B0 . 2B1 . 0B0 . 0B1", ". 1F0 1F1 . 3F0 3B0 3F1 3B1 . 1B0 . 1B1"));
}

TEST(MakeSchedule, ZeroBubblePutsWeightsOffOnLaterRanks) {
  EXPECT_THAT(made(ScheduleKind::zero_bubble, {2, 1, 2}),
              ElementsAre("0F0 . 0F1 0I0 0W0 0I1 0W1", ". 1F0 1I0 1F1 1I1 1W0 1W1"));
}

TEST(MakeSchedule, ZeroBubbleForwardsWaitForThoseOfTheStageBefore) {
  EXPECT_THAT(made(ScheduleKind::zero_bubble, {2, 2, 1}),
              ElementsAre("0F0 . 2F0 . 2I0 2W0 0I0 0W0", ". 1F0 . 3F0 3I0 1I0 3W0 1W0"));
}

TEST(MakeSchedule, ZBVLeavesBubblesForMicrobatchesThatWouldFillIt) {
  EXPECT_THAT(made(ScheduleKind::zbv, {2, 2, 1}), ElementsAre("0F0 . . 3F0 3I0 3W0 . . . 0I0 0W0 . . . . . . .",
                                                              ". 1F0 2F0 . . 2I0 2W0 . 1I0 1W0 . . . . . . . . ."));
}

TEST(MakeSchedule, DualPipeVOverlapsForwardsWithBackwards) {
  EXPECT_THAT(made(ScheduleKind::dual_pipe_v, {1, 2, 2}), ElementsAre("0F0 1F0 0F1 1B0 (1F1;0B0)OVERLAP_F_B 1B1 0I1 0W1"));
}

TEST(MakeSchedule, LaysStagesRoundTheRanksOrInAV) {
  const auto places = [](ScheduleKind kind) { return make_schedule(kind, {3, 2, 6})->rank_of_stage; };
  for (const ScheduleKind kind : {ScheduleKind::interleaved, ScheduleKind::zero_bubble})
    EXPECT_THAT(places(kind), ElementsAre(0, 1, 2, 0, 1, 2));
  for (const ScheduleKind kind : {ScheduleKind::zbv, ScheduleKind::dual_pipe_v})
    EXPECT_THAT(places(kind), ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST(MakeSchedule, SaysWhichSizesItRefuses) {
  const auto refusal = [](ScheduleKind kind, ScheduleSizes sizes) { return make_schedule(kind, sizes).error().message; };
  EXPECT_EQ(refusal(ScheduleKind::gpipe, {2, 3, 4}), "pipeline schedule gpipe: expected 1 stage a rank, got 3");
  EXPECT_EQ(refusal(ScheduleKind::zbv, {2, 1, 4}), "pipeline schedule zbv: expected 2 stages a rank, got 1");
  EXPECT_EQ(refusal(ScheduleKind::one_forward_one_backward, {3, 1, 2}),
            "pipeline schedule one_forward_one_backward: expected at least as many microbatches as its 3 stages, got 2");
  EXPECT_EQ(refusal(ScheduleKind::dual_pipe_v, {3, 2, 5}),
            "pipeline schedule dual_pipe_v: expected at least as many microbatches as its 6 stages, got 5");
  EXPECT_EQ(refusal(ScheduleKind::interleaved, {3, 2, 7}),
            "pipeline schedule interleaved: expected microbatches in 2 equal rounds, one for every 3, as many as ranks, got 7");
  EXPECT_EQ(refusal(ScheduleKind::zero_bubble, {0, -1, 4}),
            "pipeline schedule zero_bubble: expected at least 1 rank, 1 stage a rank and 1 microbatch, got 0, -1 and 4");
}

TEST(PrintSlot, IsAsPyTorchPrintsActions) {
  EXPECT_EQ(print(Slot{}), "");
  EXPECT_EQ(print(Slot{{Computation::forward, 0, 1}}), "0F1");
  EXPECT_EQ(print(Slot{{Computation::backward, 0, 2}}), "0B2");
  EXPECT_EQ(print(Slot{{Computation::backward_input, 2, 3}}), "2I3");
  EXPECT_EQ(print(Slot{{Computation::backward_weight, 1, 0}}), "1W0");
  EXPECT_EQ(print(Slot{{Computation::forward, 0, 1}, {Computation::backward, 3, 2}}), "(0F1;3B2)OVERLAP_F_B");
}

RC_GTEST_PROP(MakeSchedule, IsFreeOfFaults, ()) {
  const Drawn drawn = drawn_schedule();
  RC_ASSERT(find_fault(drawn.schedule, drawn.sizes) == std::nullopt);
}

RC_GTEST_PROP(MakeSchedule, TakesTheMicrobatchesOfAStageInOrder, ()) {
  const Drawn drawn = drawn_schedule();
  for (const RankSchedule& slots : drawn.schedule.ranks) {
    std::map<std::pair<bool, int>, int> next;
    for (const Slot& slot : slots)
      for (const auto& [computation, stage, microbatch] : slot)
        if (computation != Computation::backward_weight)
          RC_ASSERT((next[{computation == Computation::forward, stage}]++) == microbatch);
  }
}

// What it has over GPipe: a rank keeps no more microbatches than there are stages from it on.
RC_GTEST_PROP(MakeSchedule, OneForwardOneBackwardKeepsFewMicrobatches, ()) {
  const int ranks = *rc::gen::inRange(1, 9), microbatches = ranks + *rc::gen::inRange(0, 20);
  const Result<Schedule> schedule = make_schedule(ScheduleKind::one_forward_one_backward, {ranks, 1, microbatches});
  for (int rank = 0; rank < ranks; ++rank) {
    int held = 0, most = 0;
    for (const Slot& slot : schedule->ranks[static_cast<std::size_t>(rank)]) {
      held += slot[0].computation == Computation::forward ? 1 : -1;
      most = std::max(most, held);
    }
    RC_ASSERT(most == ranks - rank);
  }
}

}  // namespace
}  // namespace ordercheck::ranks
