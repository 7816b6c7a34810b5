// One case that some engine ran, as far as it is held against pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/verdict.h"
#include "rule/counters.h"
#include "stack/stack.h"

namespace ordercheck {

struct Observation {
  std::string engine;     // "pytorch"
  std::string version;    // "2.11.0"
  std::string case_text;  // print(Case)
  Verdict verdict = Verdict::unrun;
  std::optional<Phase> phase;     // of a failure
  std::string message;            // of a failure or hang
  std::string operation;          // in flight at a failure or hang
  std::string group;              // mesh axis of that operation
  std::vector<std::string> lost;  // items without effect, printed: see lost_effects (parity/verdict.h)
  CounterValues counters;
  std::string backend = "";  // of a compiled stack: whose graphs ran, in words; "" where the case names it
  friend bool operator==(const Observation&, const Observation&) = default;
};

// The case of a run of the stack by an engine, with the settings that a witness is run with.
std::string run_text(const Stack& stack, const std::string& model, const std::string& engine);

// The run of a stack by one build of an engine; null where there is none.
const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const std::string& model,
                            const std::string& engine, const std::string& version);

}  // namespace ordercheck
