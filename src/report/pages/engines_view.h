// Cases that two engines ran and do not agree on.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct DisagreementRow {
  std::string order;               // "`fsdp=2,ddp=2`"
  std::vector<std::string> cells;  // one an engine: "differs", "fails in apply"; "not run"
  std::string explanation;         // what rules say of it: a departure, or whom a claim that fires is about
};

struct EnginesView {
  std::vector<std::string> engines;  // "native 2.11.0, cpu", in the order of the evidence
  std::string same;                  // how many cases that several engines ran have one verdict
  std::vector<DisagreementRow> rows;
};

// Runs of the same engine in several versions are columns, and no disagreement by themselves.
EnginesView engines_view(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
