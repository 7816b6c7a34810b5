// Controls: what every matrix runs along with its cases to show that its comparison can fail.
#pragma once

#include "matrix/batch.h"
#include "matrix/outcome.h"

namespace ordercheck {

// Wants the plain twins (float64 without the grid) of every case that is legal, has more than one rank and the default
// settings, and their references.
void want_plain_twins(Batch& batch, const Plan& plan);

// Each is not judged where the cases leave nothing to judge it by: no legal layout, or none that completed.

// "plain arithmetic": held when at least half of the twins that completed differ from one rank, and any did.
Control plain_control(const Batch& batch, const Plan& plan);

// "repeated runs": held when every case that completed twice gave the same digest, counters and collectives too.
Control repeat_control(const Batch& batch, const Plan& plan);

// "shuffled gradient": two gradients of a completed record change places; held when the comparison names the first of
// them. Failed when no record has two different gradients.
Control shuffled_control(const std::vector<Outcome>& outcomes);

}  // namespace ordercheck
