// The orders that known projects fix in their code, side by side.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct FrameworkRow {
  std::string title, order, source, date, says;
  std::string differs;   // from the recommended order of the same transforms: "`fsdp` before `compile`"; "nothing"
  std::string findings;  // pages that fire on it, linked; "none"
  // On the reader's version: "equal"; "differs, without `ep`"; "not run". Where that does not build all of it, then the whole on another
  // engine: "not run; on native 2.11.0 equal".
  std::string run;
};

// Two transforms that projects apply in both orders.
struct Disagreement {
  std::string pair;          // "`compile` and `fsdp`"
  std::string first_before;  // who applies the first one first
  std::string second_before;
};

// A project's own functions, called in its own order.
struct OwnRun {
  std::string title;
  std::string stack;  // "`tp=2,ep=2,fsdp=2` (deepseek_v3)"
  std::string shown;  // "differs: [CLA-025](../rules/clash/tp-with-ep.md)"
  std::string on;     // "torchtitan 0.2.2, torch 2.11.0"
};
std::vector<OwnRun> own_runs(const std::vector<Framework>& frameworks, const std::vector<EngineRuns>& engines,
                             const std::vector<Rule>& rules);

std::vector<FrameworkRow> framework_rows(const Sources& sources, const std::vector<EngineRuns>& engines);
std::vector<Disagreement> disagreements(const std::vector<Framework>& frameworks);

}  // namespace ordercheck
