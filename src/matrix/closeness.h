// Requests and evaluates the extra runs of a case in float32 arithmetic: a float64 single-rank run, float32 single-rank runs
// for the noise floor, and a rerun of the case that keeps its tensors.
#pragma once

#include <vector>

#include "base/result.h"
#include "matrix/distinct_runs.h"
#include "record/noise_floor.h"

namespace ordercheck {

struct ClosenessRuns {
  PendingRun float64;             // one rank
  std::vector<PendingRun> floor;  // single-rank runs of the stack's numeric transforms with other splits of the batch
  PendingRun kept;                // the case itself, keeping its tensors
};

// The cases whose runs give the noise floor: one rank, the stack's transforms that change numbers, and the batch split into
// other numbers of microbatches.
std::vector<Case> floor_runs_of(const Case& c);

// Requests these runs for `c`, which must be in float32 arithmetic.
ClosenessRuns ask_closeness(const Case& c, Runs& runs);

// Compares the case with the float64 run and the noise floor. `first` is the case's first run, without tensors; the rerun that
// kept them must be equal. If there is no noise floor, for example after an incomplete run, `no_floor` of the result says why.
// An error if a file of tensors cannot be read.
Result<Closeness> closeness_of(const ClosenessRuns& runs, const Record& first);

// Distances of every loss, gradient, gradient norm and final parameter of `got` to the float64 run. Both runs must have used
// Keep::values.
Result<Distances> distances_between(const Record& float64, const Record& got);

}  // namespace ordercheck
