// The runs that native arithmetic is judged by: a float64 single-rank run, single-rank runs of the same dtype for the noise
// floor, and the case itself once more with its tensors kept. They are run for cases in native arithmetic alone.
#pragma once

#include <vector>

#include "matrix/batch.h"
#include "parity/verdict.h"

namespace ordercheck {

// Single-rank runs of the stack's numeric transforms with other splits of the batch.
std::vector<Case> floor_runs_of(const Case& c);

// Wants what closeness_of reads. Only for a case in native arithmetic that completed.
void want_closeness(Batch& batch, const Case& c);

// Says in `no_floor` which run did not complete. An error when a file of values cannot be read.
Result<Closeness> closeness_of(const Batch& batch, const Case& c);

// Every loss, gradient, gradient norm and final parameter of `got` against the float64 run's; both kept their values.
Result<Distances> distances_between(const Record& float64, const Record& got);

}  // namespace ordercheck
