// Lists symptoms that a user sees, such as error messages, with links to the rule pages about them.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct Symptom {
  std::string message;  // "`Cannot distribute a DTensor`": an exception's message, or the missing sign of an effect
  std::string where;    // verdicts of runs with this symptom: "fails in apply", "ignored"
  std::string pages;    // links
};

// The symptoms of runs of the rule pages' bad example stacks, on every PyTorch with runs. The message is that of the page's
// [[expect]] entry, else the beginning of the run's message. Merges similar messages. Sorted by message.
// The error that a failed run raised: the fragment that the rule names for this engine, else the message, cut.
// `rule` may be null.
std::string error_of(const Rule* rule, const EngineRuns& engine, const Outcome& outcome);

std::vector<Symptom> symptoms(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
