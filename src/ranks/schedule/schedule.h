// Pipeline schedules as data: what each rank computes in a step, slot by slot.
//
// The algorithms: GPipe (arXiv:1811.06965), 1F1B (PipeDream-Flush, arXiv:2006.09503), interleaved 1F1B (arXiv:2104.04473), zero
// bubble and ZBV (ZB1P and ZB-V of arXiv:2401.10241), DualPipeV (arXiv:2412.19437 and github.com/deepseek-ai/DualPipe). Which
// variant of each, torch.distributed.pipelining.schedules of PyTorch 2.11 decides: tests/pytorch/schedules_test.py compares all
// lists, bubbles too, with those that it makes, and the sizes that it refuses.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "base/enum.h"
#include "base/result.h"

namespace ordercheck::ranks {

// `backward` is all of it; `backward_input` only what the stage before waits for, and `backward_weight` the rest.
ORDERCHECK_ENUM(Computation, forward, backward, backward_input, backward_weight)

struct Action {
  Computation computation;
  int stage;
  int microbatch;
  friend auto operator<=>(const Action&, const Action&) = default;
};

// Empty: a bubble. Two actions: a forward and a backward of other microbatches, overlapped.
using Slot = std::vector<Action>;
using RankSchedule = std::vector<Slot>;

struct Schedule {
  std::vector<int> rank_of_stage;
  std::vector<RankSchedule> ranks;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

ORDERCHECK_ENUM(ScheduleKind, gpipe, one_forward_one_backward, interleaved, zero_bubble, zbv, dual_pipe_v)

struct ScheduleSizes {
  int ranks;
  int stages_per_rank;
  int microbatches;
};

// Stages go round the ranks; those of zbv and dual_pipe_v go down them and back up, a V. Bubbles are where PyTorch's lists have
// them: nowhere in gpipe and one_forward_one_backward.
Result<Schedule> make_schedule(ScheduleKind kind, ScheduleSizes sizes);

// As PyTorch prints them: "0F1", "0B1", "2I3", "2W3", "(0F1;3B2)OVERLAP_F_B", and nothing for a bubble.
std::string print(const Action& action);
std::string print(const Slot& slot);

// Why the schedule is no step of these sizes, in one line: a stage without its rank, an action that is missing, repeated or on
// another rank, or actions that wait for each other for ever.
std::optional<std::string> find_fault(const Schedule& schedule, ScheduleSizes sizes);

}  // namespace ordercheck::ranks
