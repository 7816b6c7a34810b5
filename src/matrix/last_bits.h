// Tells a bug from rounding, for a difference as small as the last bits of the exact arithmetic's grid. Two correct layouts
// may round such values differently, for example where a bias is divided by 3. On a coarser grid such a difference grows, but
// the difference of a bug stays the same. So both sides run again on coarser grids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/case_trial.h"
#include "matrix/plan_result.h"
#include "record/difference.h"

namespace ordercheck {

// A tensor, loss or norm that differs between two runs.
struct Apart {
  std::string what;  // "gradient of layers.0.wq.weight", "layers.0", "loss"
  int step = 0;
  Phase phase = Phase::forward;
  double total = 0;    // sum of |a - b| over the elements; infinite if the shapes differ
  double largest = 0;  // largest |a - b|
  double size = 0;     // largest magnitude in either run
};

// Differences between two runs that kept their tensors, in order of execution: losses, norms, module outputs and their
// gradients, and parameter gradients. Parameters are excluded: AdamW turns the last bit of a gradient near 0 into a whole step.
Result<std::vector<Apart>> places_apart(const Record& owed, const Record& got);

// Whether all differences are small enough to be rounding: at most 2^-13 of `size`, or at most one grid unit 2^-grid and 2^-6
// of `size`. `difference` must be among them.
bool are_last_bits(const std::vector<Apart>& places, const Difference& difference, int grid);

// The first place whose difference does not grow on a coarser grid, so that it is a bug. `coarser` has the differences on two
// grids, each two bits coarser than the one before; rounding of a sum grows 16 times per grid. nullopt if all grow.
std::optional<std::string> place_that_stays(const std::vector<Apart>& places, const std::vector<std::vector<Apart>>& coarser);

// Requests reruns of a differing case and its reference on coarser grids, if tensors were kept and are_last_bits() is true.
// Returns whether it did.
Result<bool> ask_coarser(Trial& trial, const CaseResult& differing, Runs& runs);

// After these reruns, sets the verdict of `seen` to `unstable` if every difference grows with the grid, or to the verdict with
// coarse factors (Run::coarse_factors) if that shows no difference. Otherwise keeps it. The message says which tensor and by
// how much.
Status judge_last_bits(const Trial& trial, Observation& seen);

}  // namespace ordercheck
