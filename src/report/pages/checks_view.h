// Orders that an engine refuses before anything is computed, and what they do on the same engine without its checks.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"

namespace ordercheck {

struct CheckRow {
  std::string order;           // "`fsdp=2,tp=2`", "`fsdp=2,ep=2 model=moe`"
  std::string pages;           // that flag it, with the basis of each: "[ORD-004](rules/...) (fundamental)"
  std::string reader;          // what the reader's engine shows: "fails in apply"; "not run"
  std::string with_checks;     // what the engine with its checks shows
  std::string without_checks;  // and without them
};

struct ChecksView {
  std::string reader, with_checks, without_checks;  // the engines: "native 2.11.0"
  std::vector<CheckRow> rows;  // the orders that differ in nothing but the engine, in the order of the runs
};

// No rows where nothing ran without checks.
ChecksView checks_view(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
