// The runs that float32 arithmetic is judged by: a float64 single-rank run, single-rank runs of the same dtype for the noise
// floor, and the case itself once more with its tensors kept. They are run for cases in float32 arithmetic alone.
#pragma once

#include <vector>

#include "base/result.h"
#include "parity/noise_floor.h"
#include "trial/runs.h"

namespace ordercheck {

struct ClosenessRuns {
  PendingRun float64;             // one rank
  std::vector<PendingRun> floor;  // single-rank runs of the stack's numeric transforms with other splits of the batch
  PendingRun kept;                // the case itself, its tensors kept
};

// Single-rank runs of the stack's numeric transforms with other splits of the batch.
std::vector<Case> floor_runs_of(const Case& c);

// Only for a case in float32 arithmetic.
ClosenessRuns ask_closeness(const Case& c, Runs& runs);

// `first` is the case's first run, without its tensors: the run that kept them has to be the same. Says in `no_floor` which run
// did not complete. An error when a file of values cannot be read.
Result<Closeness> closeness_of(const ClosenessRuns& runs, const Record& first);

// Every loss, gradient, gradient norm and final parameter of `got` against the float64 run's; both kept their values.
Result<Distances> distances_between(const Record& float64, const Record& got);

}  // namespace ordercheck
