// Cases whose verdict is not the same in every version of an engine that committed runs exist of.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct ChangedRow {
  std::string order;               // "`tp=2,compile,fsdp=2`"
  std::vector<std::string> cells;  // one a version: "equal", "fails in backward"; "not run"
  std::string rules;               // pages that fire, linked
};

struct VersionsView {
  std::string engine;                 // "pytorch, cpu"
  std::vector<std::string> versions;  // "2.11.0", the oldest first
  std::string same;                   // how many cases have one verdict in all of them
  std::vector<ChangedRow> rows;       // in the order of the newest version's table
};

// One an engine and device with at least two versions.
std::vector<VersionsView> versions_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
