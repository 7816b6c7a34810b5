// Cases whose verdict is not the same in every version of an engine that committed runs exist of.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct ChangedRow {
  std::string order;               // "`tp=2,compile,fsdp=2`", "`tp=2` (qwen3)"
  std::vector<std::string> cells;  // one a version: "equal", "fails in backward"; "not run"
  std::string rules;               // pages that fire in any of them, linked
  std::string change;              // "gone in 0.3.0", "new in 0.3.0" of a harm; "" of another change
};

// What a reader has to know of one version.
struct VersionLine {
  std::string label;  // "Silently wrong on torchtitan 0.2.2 on torch 2.11.0", "Gone in torchtitan 0.3.0"
  std::string text;   // a rule and a stack each, the most frequent rule first; "nothing" where there is none
};

struct VersionsView {
  std::string engine;                 // "pytorch, cpu"
  std::vector<std::string> versions;  // "2.11.0", the oldest first
  std::string same;                   // how many cases have one verdict in all of them
  std::vector<ChangedRow> rows;       // in the order of the newest version's table
  std::vector<VersionLine> lines;     // of a published project, whose users have a release and read what holds for it
};

// One an engine and device with at least two versions.
std::vector<VersionsView> versions_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
