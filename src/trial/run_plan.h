// Runs a plan: every case and what it is held against, judged, held against the rules, with the controls.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/result.h"
#include "rule/rule.h"
#include "trial/trial.h"

namespace ordercheck {

struct RunOptions {
  std::filesystem::path values_folder;  // for tensors of divergent pairs; exists, and is the caller's to remove
  OnProgress on_progress;
  // Injected into the only case of the plan. Needs a plan of one case.
  std::optional<Fault> fault;
  // The verdict alone: no stack without one item, no other seed or grid, no search for the first tensor, no controls.
  bool quick = false;
};

// Same plan, same engine: same result, whatever order the runs end in. An error means that the engine could not be run at all;
// whatever happens to a single case is its result. Cases that the engine declines move to plan.not_planned.
Result<PlanResult> run_plan(const Plan& plan, Runner& runner, const std::vector<Rule>& rules, const Recommend& recommend,
                            const RunOptions& options);

}  // namespace ordercheck
