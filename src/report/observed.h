// What one engine's committed runs showed, held against today's rules.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matrix/outcome.h"
#include "report/sources.h"

namespace ordercheck {

struct ObservedEngine {
  Target target;                  // native 2.11.0
  EvidenceTable table;            // in exact arithmetic
  std::vector<Outcome> outcomes;  // one a row, in the order of the table; records hold what a row keeps
};

// One a table in exact arithmetic, in the order of the sources.
std::vector<ObservedEngine> observed_engines(const Sources& sources);

const Outcome* find_outcome(const ObservedEngine& engine, const Case& c);  // null when it was not run

std::vector<std::string> built_by(const ObservedEngine& engine);  // transforms that it has runs of, by name

struct LeftOut {
  std::vector<std::pair<std::string, int>> reasons;  // and how many cases each keeps out, the most frequent first
  int planned_since = 0;  // cases that the rules, frameworks and space ask for today, and that the table lacks
};

// What was not planned, and why. An engine builds the transforms and models that its table has runs of.
LeftOut left_out(const Sources& sources, const ObservedEngine& engine);

std::string print_engine(const ObservedEngine& engine);      // "native 2.11.0, cpu"
std::string evidence_page_of(const ObservedEngine& engine);  // "native-2.11.0.md"; of a GPU "pytorch-2.11.0-cuda.md"

}  // namespace ordercheck
