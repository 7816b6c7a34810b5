// Runs the cases of a plan: computes each verdict from its reference runs, compares it with the rules, and evaluates the
// controls.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/result.h"
#include "matrix/case_trial.h"
#include "matrix/plan_result.h"
#include "rules/rule.h"

namespace ordercheck {

struct RunOptions {
  std::filesystem::path values_folder;  // for tensors of differing cases; must exist, and the caller removes it
  OnProgress on_progress;
  // The fault to inject into the case; the plan must have exactly one.
  std::optional<Fault> fault;
  // --quick, computes the verdict only: no twins without one item, no other seed or grid, no search for the first tensor that
  // differs, no controls.
  bool quick = false;
  // Digests of recorded runs by print(Case). A case whose run has the recorded digest is not run again: the recorded run is
  // its second one.
  std::map<std::string, Hash128> recorded_digests;
};

// Deterministic for a plan and an engine, whatever order the runs end in. Returns an error only if the engine cannot run at
// all; any failure of a single case is its result. Cases that the engine declines move to plan.not_planned.
Result<PlanResult> run_plan(const Plan& plan, Runner& runner, const std::vector<Rule>& rules, const Recommend& recommend,
                            const RunOptions& options);

// Ablation: finds the transforms without which a wrong or failing stack is right. Uses the twins, the runs of the stack
// without one item each.

// The items, as written, without which the stack is bitwise equal to its reference. Empty unless the arithmetic is exact and
// the stack has two or more items. Skips items that change numbers, since the stack without them has another reference. Call
// after the first runs.
std::vector<std::string> right_without(const Trial& trial);

// A difference counts only if it also occurs with another seed and on another grid. One kernel's rounding noise can change how
// a value is rounded to the grid.

// Requests the variants (persistence.h) of a differing case and the runs that they are compared with.
void ask_variants(Trial& trial, const Recommend& recommend, Runs& runs);

// The same for a case where only the compiler's generated code differs: with another seed in float32 arithmetic.
void ask_variants_of_compiler_code(Trial& trial, Runs& runs);

// The verdict from these variants, by persists() of record/persistence.h. An error if a file of tensors cannot be read.
Result<Verdict> persists(const Trial& trial, std::string& how);

}  // namespace ordercheck
