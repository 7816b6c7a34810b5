// Prepares the rows of docs/projects.md: the orders that known projects fix in their code, compared with each other, with the
// rules and with runs.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct FrameworkRow {
  std::string title, order, source, date, says;
  std::string recorded;  // what a job that calls the project's functions showed; or "not recorded"
  std::string differs;   // difference from our recommended order: "`fsdp` before `compile`"; or "nothing"
  std::string findings;  // links to rule pages that fire on the order; or "none"
  // The verdict of a run of this order on the newest PyTorch: "equal"; "differs, without `ep`"; "not run". If the pytorch
  // engine does not implement every transform of the order, also the verdict of another engine: "not run; on native 2.11.0
  // equal".
  std::string run;
};

// Two transforms that different projects apply in opposite orders.
struct Disagreement {
  std::string pair;          // "`compile` and `fsdp`"
  std::string first_before;  // names of projects that apply the first transform first
  std::string second_before;
};

// A run of a project's own functions in its own order.
struct OwnRun {
  std::string title;
  std::string stack;  // "`tp=2,ep=2,fsdp=2` (deepseek_v3)"
  std::string shown;  // "differs: [CLA-025](../rules/clash/tp-with-ep.md)"
  std::string on;     // "torchtitan 0.2.2, torch 2.11.0"
};
std::vector<OwnRun> own_runs(const std::vector<Framework>& frameworks, const std::vector<EngineRuns>& engines,
                             const std::vector<Rule>& rules);

// The orders of a project's newest release. Empty for an unknown project, or if none of its orders is of a release.
struct NewestOrders {
  std::string release;              // "torchtitan 0.3.0"
  std::vector<std::string> orders;  // "llama3 `cp → tp → ac → compile → fsdp`"
};
NewestOrders newest_orders(const std::vector<Framework>& frameworks, const std::string& project);

std::vector<FrameworkRow> framework_rows(const Sources& sources, const std::vector<EngineRuns>& engines);
std::vector<Disagreement> disagreements(const std::vector<Framework>& frameworks);

}  // namespace ordercheck
