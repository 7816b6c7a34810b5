// From what somebody sees to the pages that speak of it.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct Symptom {
  std::string message;  // "`Cannot distribute a DTensor`": of an exception, or what is missing where a transform had no effect
  std::string where;    // "fails in apply", "ignored": what runs with it showed
  std::string pages;    // linked
};

// What runs of the bad stacks of pages showed in PyTorch, in any version that was run: what the page pins, else the beginning
// of the message. Alike messages stand once. Sorted by message.
std::vector<Symptom> symptoms(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
