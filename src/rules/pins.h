// Selects the pin of a rule page for an engine and version: an [[expect]] entry, which says what a run there must show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/observation.h"
#include "rules/rule.h"
#include "stack/case.h"

namespace ordercheck {

// Whether a pin is an exception from the page's harm: another verdict, a counter that does not change for a slow or memory
// page, or one stack that fails for a cause of its own (`because`).
bool departs(const Rule& rule, const Expectation& pin);

// The pin with the details (phase, message) of the page's harm on an engine: the one for `version`, else for the newest
// version before it, else the oldest; null if there is none. With `stack`, only pins that name exactly this stack.
const Expectation* detail_for(const Rule& rule, const std::string& engine, const Version& version,
                              const std::optional<Stack>& stack = {});

// The pins for exactly this version that are exceptions (departs). Returns those that name this stack, else those without a
// stack, which apply to every stack that the page fires on. Several if a project's release ran on several PyTorch releases.
std::vector<const Expectation*> departures_for(const Rule& rule, const std::string& engine, const Version& version,
                                               const Stack& stack);

// The first of departures_for(); null if there is none.
const Expectation* departure_for(const Rule& rule, const std::string& engine, const Version& version, const Stack& stack);

// Whether the harm is slow or memory. Such a run has right numbers; only a counter shows the harm.
bool is_cost(const Rule& rule);

// The case that an engine runs for an example stack of a page: usual settings, and the page's model and microbatches.
Case case_of(const Stack& stack, const Witness& witness, const std::string& engine);

// The run of case_of(stack, witness, engine) by one release of the engine; null if it did not run. If a project's release ran
// on several PyTorch releases, returns the run on `on`, by default the newest.
const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version, const std::optional<std::string>& on = {});

}  // namespace ordercheck
