// What one engine's committed runs showed, held against today's rules.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/result.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct EngineRuns {
  Target target;                  // native 2.11.0
  EvidenceTable table;            // in exact arithmetic
  std::vector<Outcome> outcomes;  // one a row, in the order of the table
};

// One a table in exact arithmetic, in the order of the sources.
std::vector<EngineRuns> engine_runs_of(const Sources& sources);

// The run of the case, whether the stack names the default trainer or not. Null when there is none.
const Outcome* find_outcome(const EngineRuns& engine, const Case& c);

// Those whose tables decide (evidence/table.h): of one build, another device's runs have the same names, and stand on pages of their own.
std::vector<EngineRuns> that_decide(std::vector<EngineRuns> engines);

// The newest version of an engine whose table decides; null where there is none.
const EngineRuns* newest_that_decides(const std::string& engine, const std::vector<EngineRuns>& engines);

// The tables of each engine and device, the oldest version first; by name.
std::vector<std::vector<const EngineRuns*>> by_engine(const std::vector<EngineRuns>& engines);

std::vector<std::string> built_by(const EngineRuns& engine);  // transforms that it has runs of, by name

bool is_of_project(const EngineRuns& engine);         // a published one, which runs on a release of torch
std::string print_version(const EngineRuns& engine);  // "2.11.0"; of a project "0.3.0 on torch 2.15.0"
std::string print_engine(const EngineRuns& engine);   // "native 2.11.0, cpu", "torchtitan 0.3.0 on torch 2.15.0, cpu"

}  // namespace ordercheck
