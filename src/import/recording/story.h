// Tells a recording step by step, for `ordercheck explain job.json`.
#pragma once

#include <string>

#include "import/recording/recording.h"

namespace ordercheck {

// Where the job ran, one numbered line per place of a call in the order of the first call, and what the first step showed.
std::string tell_recording(const Recording& recording);

}  // namespace ordercheck
