// Turns a recording into the stack that the job applied, with the order for each family of modules.
#pragma once

#include "import/imported.h"
#include "import/recording/recording.h"

namespace ordercheck {

// Imported::format and Imported::order_from of a recording.
inline constexpr const char* kRecordingFormat = "a recorded job";

// The stack of the model with the most calls. Calls on other models, and what the notation cannot express, are in
// `not_understood`. What the first step showed to be without effect is a note of the kind `ineffective`.
Imported recorded_stack(const Recording& recording);

}  // namespace ordercheck
