#include "matrix/lost_run.h"

#include <gmock/gmock.h>

namespace ordercheck {
namespace {

FlightSlot busy(const std::string& module, std::uint64_t ticket) {
  FlightSlot slot;
  slot.used = true;
  slot.phase = Phase::forward;
  slot.module = module;
  slot.ticket = ticket;
  return slot;
}

FlightSlot waiting(const std::string& group, std::uint64_t ticket) {
  FlightSlot slot = busy("norm", ticket);
  slot.operation = "all_reduce";
  slot.group = group;
  slot.sequence = static_cast<std::int64_t>(ticket);
  return slot;
}

FlightSlot finished(std::uint64_t ticket) {
  FlightSlot slot = busy("", ticket);
  slot.finished = true;
  return slot;
}

FlightSlot torn() {
  FlightSlot slot;
  slot.used = true;
  slot.torn = true;
  return slot;
}

TEST(blame, a_process_died_where_it_was_busy) {
  const Failure failure = place_of_failure(Ending::died, {waiting("tp", 9), busy("a", 3), finished(8)});
  EXPECT_EQ(failure.rank, 1);
  EXPECT_EQ(failure.module, "a");
  EXPECT_EQ(failure.sequence, -1);
  EXPECT_EQ(failure.ranks.size(), 3u);
}

TEST(blame, among_several_busy_ranks_of_a_process_that_died_none_is_picked) {
  const Failure failure = place_of_failure(Ending::died, {waiting("tp", 9), busy("a", 3), busy("b", 5), finished(8)});
  EXPECT_EQ(failure.rank, -1);
  EXPECT_EQ(failure.module, "");
  EXPECT_EQ(failure.operation, "");
  EXPECT_EQ(failure.ranks.size(), 4u);
}

TEST(blame, a_rank_that_raised_a_signal_or_called_exit_is_named_before_all_others) {
  std::vector<FlightSlot> slots{busy("a", 3), busy("b", 5)};
  slots[0].fatal_signal = 11;
  EXPECT_EQ(place_of_failure(Ending::died, slots).rank, 0);
  slots[0].fatal_signal = 0;
  slots[0].called_exit = true;
  EXPECT_EQ(place_of_failure(Ending::died, slots).rank, 0);
}

TEST(blame, a_rank_whose_slot_was_torn_by_its_own_crash_is_named_without_a_place) {
  std::vector<FlightSlot> slots{busy("a", 3), torn()};
  slots[1].fatal_signal = 6;
  const Failure failure = place_of_failure(Ending::died, slots);
  EXPECT_EQ(failure.rank, 1);
  EXPECT_EQ(failure.module, "");
}

TEST(blame, the_rank_that_hangs_is_the_one_that_waits_for_nobody_and_was_silent_longest) {
  EXPECT_EQ(place_of_failure(Ending::timed_out, {waiting("tp", 1), busy("a", 7), busy("b", 5), finished(2)}).rank, 2);
}

TEST(blame, where_all_wait_the_group_is_named) {
  const Failure failure = place_of_failure(Ending::timed_out, {waiting("tp", 6), waiting("dp_shard", 4), finished(2)});
  EXPECT_EQ(failure.rank, -1);
  EXPECT_EQ(failure.operation, "all_reduce");
  EXPECT_EQ(failure.group, "dp_shard");
  EXPECT_EQ(failure.sequence, 4);
}

TEST(blame, nothing_is_made_up_where_nothing_is_known) {
  for (const auto& slots : {std::vector<FlightSlot>{}, {FlightSlot{}, torn()}, {finished(1), finished(2)}}) {
    const Failure failure = place_of_failure(Ending::died, slots);
    EXPECT_EQ(failure.rank, -1);
    EXPECT_EQ(failure.module, "");
    EXPECT_EQ(failure.operation, "");
  }
}

TEST(blame, an_unfinished_run_still_says_what_was_asked_of_whom) {
  ordercheck::Run run;
  run.subject = parse_case("tp=2,fsdp=4").value();
  const Hello hello{.engine = "fake",
                    .versions = {"fake 1"},
                    .devices = {"cpu"},
                    .transforms = {},
                    .models = {},
                    .faults = {},
                    .max_ranks = 8,
                    .content_hash = "x"};
  const Record record = unfinished(run, hello, Ending::died, Failure{});
  EXPECT_EQ(record.case_text, "tp=2,fsdp=4");
  EXPECT_EQ(record.engine, "fake");
  EXPECT_EQ(record.device, "cpu");
  EXPECT_EQ(record.world_size, 8);
  EXPECT_EQ(record.ending, Ending::died);
}

}  // namespace
}  // namespace ordercheck
