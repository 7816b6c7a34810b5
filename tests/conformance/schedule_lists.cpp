// Prints the pipeline schedules of this engine; tests/pytorch/schedules_test.py holds them against PyTorch's.
//
// Usage: schedule-lists, with lines "KIND RANKS STAGES_PER_RANK MICROBATCHES" on standard input. A line for each: the rank of
// every stage and the list of every rank, by tabs, their members by commas, as PyTorch writes schedules to files; or "refused"
// or "faulty" and why.
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "native/transform/schedule.h"

namespace ordercheck::ranks {
namespace {

std::string lists_of(ScheduleKind kind, ScheduleSizes sizes) {
  const Result<Schedule> schedule = make_schedule(kind, sizes);
  if (!schedule) return "refused\t" + schedule.error().message;
  if (const auto fault = find_fault(*schedule, sizes)) return "faulty\t" + *fault;
  std::string lists = fmt::format("{}", fmt::join(schedule->rank_of_stage, ","));
  for (const RankSchedule& slots : schedule->ranks) {
    std::vector<std::string> printed;
    for (const Slot& slot : slots) printed.push_back(print(slot));
    lists += "\t" + join(printed, ",");
  }
  return lists;
}

int print_all() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name;
    ScheduleSizes sizes{};
    words >> name >> sizes.ranks >> sizes.stages_per_rank >> sizes.microbatches;
    const auto kind = find_named<ScheduleKind>(name);
    if (!words || !kind) {
      fmt::print(stderr, "schedule-lists: expected a kind ({}) and three sizes, got '{}'\n",
                 join(all_names<ScheduleKind>(), ", "), line);
      return 2;
    }
    fmt::print("{}\n", lists_of(*kind, sizes));
  }
  return 0;
}

}  // namespace
}  // namespace ordercheck::ranks

int main() { return ordercheck::ranks::print_all(); }
