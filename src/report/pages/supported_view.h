// Lists the projects and versions that rules and runs are about, for the guide on installation.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct SupportedProject {
  std::string project;
  std::string runs;   // "2.11.0 and 2.15.0; 2.11.0 (cuda)", the oldest first; "none" without runs
  std::string rules;  // "2.6 or newer": the oldest version that a rule names; "any version" if no rule names one
};

// The projects that rules name: the reader's first, then by the number of their runs, then by name. Leaves out the engine that
// builds transforms from their definitions, because ordercheck includes it.
std::vector<SupportedProject> supported_projects(const Sources& sources, const std::vector<EngineRuns>& engines);

// The sources that configurations are read as, each once, sorted: "axolotl 067b021c8 (2026-07-24) and verl ...".
std::string imported_sources(const std::vector<Framework>& imported);

}  // namespace ordercheck
