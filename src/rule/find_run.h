// Which of many observations is the run of a stack.
#pragma once

#include <string>
#include <vector>

#include "parity/observation.h"
#include "rule/rule.h"
#include "stack/case.h"

namespace ordercheck {

// What an engine runs of a stack to show it for a page: the usual settings, and the model and microbatches of the witness.
Case case_of(const Stack& stack, const Witness& witness, const std::string& engine);

// That run by one build of an engine; null where there is none.
const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version);

}  // namespace ordercheck
