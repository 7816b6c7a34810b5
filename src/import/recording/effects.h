// What the first step of a recorded job showed to be without effect.
#pragma once

#include <vector>

#include "import/imported.h"
#include "import/recording/order.h"
#include "import/recording/recording.h"

namespace ordercheck {

// Notes of the kind `ineffective`, and remarks on what may be meant: frozen parameters, graph breaks. Empty before a step.
std::vector<NotUnderstood> missing_effects(const Recording& recording, const RecordedModel& model, const RecordedOrder& order);

}  // namespace ordercheck
