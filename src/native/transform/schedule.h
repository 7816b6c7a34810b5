// Provides pipeline schedules as data: what each rank computes in a step, slot by slot.
//
// The algorithms: GPipe (arXiv:1811.06965), 1F1B (PipeDream-Flush, arXiv:2006.09503), interleaved 1F1B (arXiv:2104.04473), zero
// bubble and ZBV (ZB1P and ZB-V of arXiv:2401.10241), DualPipeV (arXiv:2412.19437 and github.com/deepseek-ai/DualPipe). The
// variants are those of torch.distributed.pipelining.schedules in PyTorch 2.11. tests/pytorch/schedules_test.py compares all
// lists, bubbles included, and the rejected sizes with PyTorch's.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "base/enum.h"
#include "base/result.h"

namespace ordercheck::ranks {

// What an action computes for one microbatch in one stage. `backward` computes all gradients. Zero-bubble schedules split it:
// `backward_input` computes the input's gradient, which the previous stage waits for, and `backward_weight` those of the
// weights.
ORDERCHECK_ENUM(Computation, forward, backward, backward_input, backward_weight)

struct Action {
  Computation computation;
  int stage;
  int microbatch;
  friend auto operator<=>(const Action&, const Action&) = default;
};

// The actions of a rank in one time slot: none (a bubble), one, or two (a forward overlapped with the backward of another
// microbatch).
using Slot = std::vector<Action>;
using RankSchedule = std::vector<Slot>;

struct Schedule {
  std::vector<int> rank_of_stage;  // by stage number
  std::vector<RankSchedule> ranks;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

ORDERCHECK_ENUM(ScheduleKind, gpipe, one_forward_one_backward, interleaved, zero_bubble, zbv, dual_pipe_v)

struct ScheduleSizes {
  int ranks;
  int stages_per_rank;
  int microbatches;
};

// Returns an error for sizes that PyTorch rejects. Stage s runs on rank s % ranks; in zbv and dual_pipe_v, stages go down the
// ranks and back up, a V. Bubbles are as in PyTorch's lists: none in gpipe and one_forward_one_backward.
Result<Schedule> make_schedule(ScheduleKind kind, ScheduleSizes sizes);

// PyTorch's notation: "0F1", "0B1", "2I3", "2W3", "(0F1;3B2)OVERLAP_F_B"; empty for a bubble.
std::string print(const Action& action);
std::string print(const Slot& slot);

// Returns in one line why the schedule is not a valid training step of these sizes; nullopt if it is. Faults: a stage without a
// rank, an action that is missing, repeated or on the wrong rank, and actions that wait for each other forever.
std::optional<std::string> find_fault(const Schedule& schedule, ScheduleSizes sizes);

}  // namespace ordercheck::ranks
