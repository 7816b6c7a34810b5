// Requests and evaluates the controls of a matrix: extra runs that show that its comparisons can fail.
#pragma once

#include <optional>
#include <vector>

#include "matrix/case_trial.h"
#include "record/evidence_table.h"

namespace ordercheck {

// A legal case and its single-rank reference, both in plain arithmetic (float64 without the grid), where they should differ.
struct PlainTwin {
  PendingRun twin;
  PendingRun reference;
};

// Requests a PlainTwin for every legal case with more than one rank and default settings.
std::vector<PlainTwin> ask_plain_twins(const Plan& plan, Runs& runs);

// The runs of one single-rank case with and without gradient clipping.
struct ClippingTwin {
  PendingRun clipped;
  PendingRun unclipped;
};

// Requests a ClippingTwin for the first legal case with default settings and no optimizer in its stack. nullopt if there is no
// such case.
std::optional<ClippingTwin> ask_clipping_twin(const Plan& plan, Runs& runs);

// Each function below evaluates one control. The control is "not judged" if no case is legal or none completed.

// "plain arithmetic": held if at least half of the completed twins differ from their single-rank reference.
Control plain_control(const std::vector<PlainTwin>& twins);

// "repeated runs": held if every case that completed twice gave the same digest, counters and collectives.
Control repeat_control(const std::vector<Trial>& trials);

// "shuffled gradient": swaps two gradients in a copy of a completed record. Held if the comparison reports the first of them;
// failed if no record has two different gradients.
Control shuffled_control(const std::vector<Trial>& trials);

// "clipping": held if removing clipping changes a parameter after the last step. If no gradient reached the threshold, a
// trainer that clips incorrectly would still be equal.
Control clipping_control(const std::optional<ClippingTwin>& twin);

}  // namespace ordercheck
