// Loads the committed runs of each engine as outcomes: each compared with the prediction of the current rules.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matrix/plan_result.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct EngineRuns {
  Target target;                  // native 2.11.0
  EvidenceTable table;            // in exact arithmetic
  std::vector<Outcome> outcomes;  // one per row, in table order
};

// One per table in exact arithmetic, in the order of the sources.
std::vector<EngineRuns> engine_runs_of(const Sources& sources);

// The outcome of the case, nullptr if it has no run. A stack without an optimizer is the same as one with the default
// optimizer.
const Outcome* find_outcome(const EngineRuns& engine, const Case& c);

// Keeps only tables for which decides() is true (record/evidence_table.h), that is no runs on a GPU.
std::vector<EngineRuns> that_decide(std::vector<EngineRuns> engines);

// The newest version of an engine for which decides() is true, or nullptr.
const EngineRuns* newest_that_decides(const std::string& engine, const std::vector<EngineRuns>& engines);

// Groups the tables by engine and device, sorted by name, the oldest version of each first.
std::vector<std::vector<const EngineRuns*>> by_engine(const std::vector<EngineRuns>& engines);

std::vector<std::string> built_by(const EngineRuns& engine);  // transforms with runs, sorted by name

bool is_of_project(const EngineRuns& engine);         // a published project, which runs on a release of torch
std::string print_version(const EngineRuns& engine);  // "2.11.0"; "0.3.0 on torch 2.15.0" for a project
std::string print_engine(const EngineRuns& engine);   // "native 2.11.0, cpu", "torchtitan 0.3.0 on torch 2.15.0, cpu"

}  // namespace ordercheck
