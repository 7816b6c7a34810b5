// Runs a plan: every case and what it is held against, judged, held against the rules, with the controls.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
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

// Ablation: which transforms a wrong or failing stack needs to be so. The stacks without one item were run already, for effects.

// Of a stack of several the items, printed, without any one of which the stack is bitwise equal to the same reference. In exact arithmetic; not of items
// that change numbers themselves, without which another reference would be owed. Once the first runs are there.
std::vector<std::string> right_without(const Trial& trial);

// A difference counts when it is there on other data and on another grid too: noise of a foreign kernel that happened to
// straddle a grid point is not.

// Of a case that differs: its variants, and what each of them is held against.
void ask_variants(Trial& trial, const Recommend& recommend, Runs& runs);

// Of a case that differs in the compiler's own code alone: that code, which runs in float32 arithmetic, on other data.
void ask_variants_of_compiler_code(Trial& trial, Runs& runs);

// As persists() of parity/persistence.h. An error when a file of values cannot be read.
Result<Verdict> persists(const Trial& trial, std::string& how);

}  // namespace ordercheck
