// What stands behind the checks of the engine that builds transforms from their definitions: its refused orders, run without them.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct CheckRow {
  std::string order;           // "`fsdp=2,tp=2`"
  std::string pages;           // that flag it, with the basis of each: "[ORD-004](rules/...) (fundamental)"
  std::string reader;          // what the reader's engine shows: "fails in apply"; "not run"
  std::string with_checks;     // and the engine of definitions
  std::string without_checks;  // and the same without
};

struct ChecksView {
  std::string reader, with_checks, without_checks;  // the engines: "native 2.11.0"
  std::vector<CheckRow> rows;  // the orders that differ in nothing but the engine, in the order of the runs
};

// No rows where nothing ran without checks.
ChecksView checks_view(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
