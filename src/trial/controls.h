// Controls: what every matrix runs along with its cases to show that its comparison can fail.
#pragma once

#include <optional>
#include <vector>

#include "evidence/table.h"
#include "trial/trial.h"

namespace ordercheck {

// A legal layout without the grid, and one rank without it.
struct PlainTwin {
  PendingRun twin;
  PendingRun reference;
};

// Of every case that is legal, has more than one rank and the default settings.
std::vector<PlainTwin> ask_plain_twins(const Plan& plan, Runs& runs);

// One rank with the default trainer, and with the same optimizer and no clipping.
struct ClippingTwin {
  PendingRun clipped;
  PendingRun unclipped;
};

// Of the first case that is legal, has the default settings and names no trainer.
std::optional<ClippingTwin> ask_clipping_twin(const Plan& plan, Runs& runs);

// Each is not judged where the cases leave nothing to judge it by: no legal layout, or none that completed.

// "plain arithmetic": held when at least half of the twins that completed differ from one rank, and any did.
Control plain_control(const std::vector<PlainTwin>& twins);

// "repeated runs": held when every case that completed twice gave the same digest, counters and collectives too.
Control repeat_control(const std::vector<Trial>& trials);

// "shuffled gradient": two gradients of a completed record change places; held when the comparison names the first of them.
// Failed when no record has two different gradients.
Control shuffled_control(const std::vector<Trial>& trials);

// "clipping": held when a parameter is another one without it after the last step. A threshold that no gradient reaches would
// leave every trainer that clips wrongly equal.
Control clipping_control(const std::optional<ClippingTwin>& twin);

}  // namespace ordercheck
