// Lists cases whose verdict differs between versions of an engine.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct ChangedRow {
  std::string order;               // "`tp=2,compile,fsdp=2`", "`tp=2` (qwen3)"
  std::vector<std::string> cells;  // one per version: "equal", "fails in backward"; "not run"
  std::string rules;               // links to pages that fire in any version
  std::string change;              // "gone in 0.3.0" or "new in 0.3.0", if a wrong result went or came; else ""
};

// A line of a project's section: which rules' harms a user of one release meets, or which are gone.
struct VersionLine {
  std::string label;  // "Silently wrong on torchtitan 0.2.2 on torch 2.11.0", "Gone in torchtitan 0.3.0"
  std::string text;   // rules with one stack each, the most frequent first; "nothing that ran" if empty
};

struct VersionsView {
  std::string engine;                 // "pytorch, cpu"
  std::vector<std::string> versions;  // "2.11.0", the oldest first
  std::string same;                   // number of cases with the same verdict in all versions
  std::vector<ChangedRow> rows;       // in the order of the newest version's table
  std::vector<VersionLine> lines;     // only for a published project, since its users have one release
};

// One per engine and device with at least two versions.
std::vector<VersionsView> versions_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
