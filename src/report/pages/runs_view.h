// Summarizes the runs of an engine and compares them with the current rules.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"
#include "report/pages/traffic_view.h"

namespace ordercheck {

struct ContradictionRow {
  std::string engine;       // "native 2.11.0, cpu"
  std::string what;         // the case: "`fsdp=2,ac,tp=2`"
  std::string claimed;      // "ORD-003 predicts differs; seen: fails"
  std::string seen;         // error message of the run
  std::string explanation;  // explanation in a rule page, or "no rule explains it"
};

struct EngineView {
  std::string title;     // "native 2.11.0, cpu"
  std::string versions;  // "libtorch 2.11.0"
  std::string arithmetic;
  std::string cases;                                                  // "212"
  std::string verdicts;                                               // "180 equal, 32 fails"
  std::string confirmed, open, explained, contradictions, undecided;  // counts
  std::vector<std::string> controls;                                  // "clipping held: ..."
  std::vector<ContradictionRow> rows;
  std::vector<SentTable> sent;
};

EngineView engine_view(const Sources& sources, const EngineRuns& engine);

}  // namespace ordercheck
