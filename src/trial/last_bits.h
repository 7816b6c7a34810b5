// A difference of the size of a grid's last bits, looked at again on coarser grids. Where two layouts round otherwise, as where a
// bias is divided by 3, or where partial sums are operands, they part by the last bit of a grid, and part further on a coarser
// one. An error stays as large as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "parity/difference.h"
#include "plan/result.h"
#include "trial/trial.h"

namespace ordercheck {

// A tensor, loss or norm that two runs do not share.
struct Apart {
  std::string what;  // "gradient of layers.0.wq.weight", "layers.0", "loss"
  int step = 0;
  Phase phase = Phase::forward;
  double total = 0;    // of |a - b|, over its elements; infinite where the two have no common shape
  double largest = 0;  // of |a - b|
  double size = 0;     // the largest magnitude of either
};

// Of two runs that kept their tensors, in the order of execution: losses and norms, what modules put out and got as gradients, and
// gradients of parameters. Not parameters: where a gradient is about 0, AdamW makes a whole step of its last bit.
Result<std::vector<Apart>> places_apart(const Record& owed, const Record& got);

// Whether the difference is among them and none is further apart than 2^-13 of its size; or, where its numbers are so small that
// the unit of the grid is more than that, than 2^-6 of it and that unit, 2^-grid.
bool are_last_bits(const std::vector<Apart>& places, const Difference& difference, int grid);

// The first place that a coarser grid does not set further apart: an error. `coarser` are two grids, each coarser by two bits than
// the one before, which makes rounding 16 times as large in a sum. Nothing where all move.
std::optional<std::string> place_that_stays(const std::vector<Apart>& places, const std::vector<std::vector<Apart>>& coarser);

// Of a difference that has its tensors and is one of last bits: both sides again on coarser grids.
Result<bool> ask_coarser(Trial& trial, const CaseResult& differing, Runs& runs);

// `unstable` where all that is apart moves with the grid, else as it is. The message gets which and by how much.
Status judge_last_bits(const Trial& trial, Observation& seen);

}  // namespace ordercheck
