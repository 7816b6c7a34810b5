// Which of many observations is the run of a stack.
#pragma once

#include <string>
#include <vector>

#include "parity/observation.h"
#include "stack/stack.h"

namespace ordercheck {

// The case of a run of the stack by an engine, with the settings that a witness is run with.
std::string run_text(const Stack& stack, const std::string& model, const std::string& engine);

// The run of a stack by one build of an engine; null where there is none.
const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const std::string& model,
                            const std::string& engine, const std::string& version);

}  // namespace ordercheck
