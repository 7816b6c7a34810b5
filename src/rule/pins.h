// Which [[expect]] of a page speaks about an engine and version.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/observation.h"
#include "rule/rule.h"
#include "stack/case.h"

namespace ordercheck {

// A pin that is not what the harm shows: another verdict, a cost's counter that stays the same, or a failure of one stack that has
// another cause, which it says (`because`).
bool departs(const Rule& rule, const Expectation& pin);

// The pin that details the harm for an engine and version: of that version, else of the newest one before it, else the
// oldest. Null when there is none. With a stack, the one that was pinned for this very stack.
const Expectation* detail_for(const Rule& rule, const std::string& engine, const Version& version,
                              const std::optional<Stack>& stack = {});

// The pins that depart from the harm in exactly this version: of that very stack, or where there is none, of the witness and
// whatever else the page fires on. There are several where a release of a project was run on several releases of PyTorch.
std::vector<const Expectation*> departures_for(const Rule& rule, const std::string& engine, const Version& version,
                                               const Stack& stack);

// The first of them; null when there is none.
const Expectation* departure_for(const Rule& rule, const std::string& engine, const Version& version, const Stack& stack);

// slow or memory: equal numbers alone do not show it.
bool is_cost(const Rule& rule);

// Which of many observations is the run of a stack.

// What an engine runs of a stack to show it for a page: the usual settings, and the model and microbatches of the witness.
Case case_of(const Stack& stack, const Witness& witness, const std::string& engine);

// Finds the run of that case by one release of an engine; null if it was not run. If the release ran on several releases of PyTorch,
// finds the run on `on`; without it on the newest, whose table is read last.
const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version, const std::optional<std::string>& on = {});

}  // namespace ordercheck
