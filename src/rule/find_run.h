// Which of many observations is the run of a stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/observation.h"
#include "rule/rule.h"
#include "stack/case.h"

namespace ordercheck {

// What an engine runs of a stack to show it for a page: the usual settings, and the model and microbatches of the witness.
Case case_of(const Stack& stack, const Witness& witness, const std::string& engine);

// Finds the run of that case by one release of an engine; null if it was not run. If the release ran on several releases of PyTorch,
// finds the run on `on`; without it on the newest, whose table is read last.
const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version, const std::optional<std::string>& on = {});

}  // namespace ordercheck
