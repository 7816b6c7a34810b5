// Tests of find_fault() in native/transform/schedule.h.
#include <algorithm>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/native/transform/some_schedule.h"

namespace ordercheck::ranks {
namespace {

constexpr ScheduleSizes kTwoByTwo{2, 1, 2};

// 0F0 0F1 0B0 0B1 and 1F0 1F1 1B0 1B1
Schedule two_by_two() { return *make_schedule(ScheduleKind::gpipe, kTwoByTwo); }

std::string fault_of(const Schedule& schedule, ScheduleSizes sizes = kTwoByTwo) {
  return find_fault(schedule, sizes).value_or("none");
}

TEST(FindFault, FindsNoneInASoundSchedule) { EXPECT_EQ(fault_of(two_by_two()), "none"); }

TEST(FindFault, ADroppedAction) {
  Schedule schedule = two_by_two();
  schedule.ranks[1].erase(schedule.ranks[1].begin() + 2);
  EXPECT_EQ(fault_of(schedule), "stage 1, microbatch 0: expected 1F0, and either 1B0 or 1I0 and 1W0, each once, got 1F0");
  schedule.ranks[1].erase(schedule.ranks[1].begin());
  EXPECT_EQ(fault_of(schedule), "stage 1, microbatch 0: expected 1F0, and either 1B0 or 1I0 and 1W0, each once, got nothing");
}

TEST(FindFault, ADoubledAction) {
  Schedule schedule = two_by_two();
  schedule.ranks[0].push_back(schedule.ranks[0][1]);
  EXPECT_EQ(fault_of(schedule),
            "stage 0, microbatch 1: expected 0F1, and either 0B1 or 0I1 and 0W1, each once, got 0F1, 0F1 and 0B1");
}

TEST(FindFault, AWholeBackwardBesideAHalf) {
  Schedule schedule = two_by_two();
  schedule.ranks[0].push_back({{Computation::backward_weight, 0, 0}});
  EXPECT_EQ(fault_of(schedule),
            "stage 0, microbatch 0: expected 0F0, and either 0B0 or 0I0 and 0W0, each once, got 0F0, 0B0 and 0W0");
}

TEST(FindFault, AHalfWithoutTheOther) {
  Schedule schedule = two_by_two();
  schedule.ranks[0][2][0].computation = Computation::backward_input;
  EXPECT_EQ(fault_of(schedule),
            "stage 0, microbatch 0: expected 0F0, and either 0B0 or 0I0 and 0W0, each once, got 0F0 and 0I0");
  schedule.ranks[0].push_back({{Computation::backward_weight, 0, 0}});
  EXPECT_EQ(fault_of(schedule), "none");
}

TEST(FindFault, ABackwardBeforeItsForward) {
  Schedule schedule = two_by_two();
  std::swap(schedule.ranks[1][0], schedule.ranks[1][2]);
  EXPECT_EQ(fault_of(schedule),
            "these never run: rank 0 at 0B0 in slot 2, which waits for 1B0; rank 1 at 1B0 in slot 0, which waits for 1F0");
}

TEST(FindFault, WeightsBeforeTheirInput) {
  const ScheduleSizes sizes{1, 1, 1};
  Schedule schedule = *make_schedule(ScheduleKind::zero_bubble, sizes);
  ASSERT_EQ(text_of(schedule.ranks[0]), "0F0 0I0 0W0");
  std::swap(schedule.ranks[0][1], schedule.ranks[0][2]);
  EXPECT_EQ(fault_of(schedule, sizes), "these never run: rank 0 at 0W0 in slot 1, which waits for 0I0");
}

TEST(FindFault, AnActionOnAnotherRank) {
  Schedule schedule = two_by_two();
  schedule.ranks[1].insert(schedule.ranks[1].begin(), schedule.ranks[0][0]);
  schedule.ranks[0].erase(schedule.ranks[0].begin());
  EXPECT_EQ(fault_of(schedule), "rank 1, slot 0: expected actions of this rank alone, and stage 0 is on rank 0, got 0F0");
}

// Each list is sound alone: rank 0 sends the second microbatch after the first came back, rank 1 takes both first.
TEST(FindFault, RanksThatWaitForEachOther) {
  Schedule schedule = two_by_two();
  std::swap(schedule.ranks[0][1], schedule.ranks[0][2]);
  EXPECT_EQ(fault_of(schedule),
            "these never run: rank 0 at 0B0 in slot 1, which waits for 1B0; rank 1 at 1F1 in slot 1, which waits for 0F1");
}

TEST(FindFault, ActionsOfOneSlotThatWaitForEachOther) {
  const ScheduleSizes sizes{1, 1, 1};
  const Schedule schedule{{0}, {{{{Computation::forward, 0, 0}, {Computation::backward, 0, 0}}}}};
  EXPECT_EQ(fault_of(schedule, sizes), "these never run: rank 0 at (0F0;0B0)OVERLAP_F_B in slot 0, which waits for 0F0");
}

TEST(FindFault, ASlotThatIsNoOverlap) {
  Schedule schedule = two_by_two();
  schedule.ranks[0][0].push_back(schedule.ranks[0][1][0]);
  EXPECT_EQ(fault_of(schedule),
            "rank 0, slot 0: expected nothing, an action, or a forward and a backward, got (0F0;0F1)OVERLAP_F_B");
}

TEST(FindFault, StagesAndMicrobatchesThatAreNone) {
  Schedule schedule = two_by_two();
  schedule.ranks[0][1][0].stage = 2;
  EXPECT_EQ(fault_of(schedule), "rank 0, slot 1: expected a stage from 0 to 1, got 2F1");
  schedule.ranks[0][1][0] = {Computation::forward, 0, -1};
  EXPECT_EQ(fault_of(schedule), "rank 0, slot 1: expected a microbatch from 0 to 1, got 0F-1");
}

TEST(FindFault, StagesThatAreOwnedOtherwise) {
  Schedule schedule = two_by_two();
  schedule.rank_of_stage = {0, 0};
  EXPECT_EQ(fault_of(schedule), "rank 0: expected 1 stage, got 2");
  schedule.rank_of_stage = {0, 2};
  EXPECT_EQ(fault_of(schedule), "stage 1: expected a rank from 0 to 1, got 2");
  schedule.rank_of_stage = {0};
  EXPECT_EQ(fault_of(schedule), "expected a rank for each of 2 stages, got 1");
  EXPECT_EQ(fault_of(two_by_two(), {3, 1, 2}), "expected the lists of 3 ranks, got 2");
}

TEST(FindFault, AnotherNumberOfMicrobatches) {
  EXPECT_EQ(fault_of(two_by_two(), {2, 1, 3}),
            "stage 0, microbatch 2: expected 0F2, and either 0B2 or 0I2 and 0W2, each once, got nothing");
}

// Of any schedule, with one thing changed.

struct Place {
  std::size_t rank, slot, action;
};

Place any_action(const Schedule& schedule) {
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (std::size_t slot = 0; slot < schedule.ranks[rank].size(); ++slot)
      for (std::size_t action = 0; action < schedule.ranks[rank][slot].size(); ++action) places.push_back({rank, slot, action});
  return places[*rc::gen::inRange<std::size_t>(0, places.size())];
}

Action taken(Schedule& schedule, const Place& place) {
  Slot& slot = schedule.ranks[place.rank][place.slot];
  const Action action = slot[place.action];
  slot.erase(slot.begin() + static_cast<std::ptrdiff_t>(place.action));
  return action;
}

RC_GTEST_PROP(FindFault, FindsAnyActionDropped, ()) {
  auto [kind, sizes, schedule] = drawn_schedule();
  taken(schedule, any_action(schedule));
  RC_ASSERT(find_fault(schedule, sizes).has_value());
}

RC_GTEST_PROP(FindFault, FindsAnyActionDoubled, ()) {
  auto [kind, sizes, schedule] = drawn_schedule();
  const Place place = any_action(schedule);
  schedule.ranks[place.rank].push_back({schedule.ranks[place.rank][place.slot][place.action]});
  RC_ASSERT(find_fault(schedule, sizes).has_value());
}

RC_GTEST_PROP(FindFault, FindsAnyActionMovedToAnotherRank, ()) {
  auto [kind, sizes, schedule] = drawn_schedule();
  RC_PRE(sizes.ranks > 1);
  const Place place = any_action(schedule);
  const auto further = *rc::gen::inRange<std::size_t>(1, schedule.ranks.size());
  schedule.ranks[(place.rank + further) % schedule.ranks.size()].push_back({taken(schedule, place)});
  RC_ASSERT(find_fault(schedule, sizes).has_value());
}

RC_GTEST_PROP(FindFault, FindsAnyForwardAfterItsBackward, ()) {
  auto [kind, sizes, schedule] = drawn_schedule();
  const Place place = any_action(schedule);
  RC_PRE(schedule.ranks[place.rank][place.slot][place.action].computation == Computation::forward);
  schedule.ranks[place.rank].push_back({taken(schedule, place)});
  RC_ASSERT(find_fault(schedule, sizes).has_value());
}

RC_GTEST_PROP(FindFault, FindsAnyStageOnAnotherRank, ()) {
  auto [kind, sizes, schedule] = drawn_schedule();
  RC_PRE(sizes.ranks > 1);
  const auto stage = *rc::gen::inRange<std::size_t>(0, schedule.rank_of_stage.size());
  schedule.rank_of_stage[stage] = (schedule.rank_of_stage[stage] + *rc::gen::inRange(1, sizes.ranks)) % sizes.ranks;
  RC_ASSERT(find_fault(schedule, sizes).has_value());
}

// Bubbles are for whoever reads the lists: ranks wait for each other without them.
RC_GTEST_PROP(FindFault, MindsNoBubbleLeftOut, ()) {
  auto [kind, sizes, schedule] = drawn_schedule();
  for (RankSchedule& slots : schedule.ranks) std::erase_if(slots, [](const Slot& slot) { return slot.empty(); });
  RC_ASSERT(find_fault(schedule, sizes) == std::nullopt);
}

}  // namespace
}  // namespace ordercheck::ranks
