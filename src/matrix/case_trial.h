// Collects one case of a matrix and every run that its verdict is based on: reference, second run, twins, other seeds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "matrix/closeness.h"
#include "matrix/distinct_runs.h"
#include "matrix/plan.h"
#include "record/verdict_of_runs.h"

namespace ordercheck {

// Returns the recommended order of a stack's items; nullopt if the rules give none.
using Recommend = std::function<std::optional<Stack>(const Stack&)>;

// The run of a case, and the runs of other layouts that it is compared with.
struct Layouts {
  PendingRun subject;
  PendingRun reference;                   // one rank, without layout transforms
  std::optional<PendingRun> recommended;  // in the order of Recommend; nullopt if unchanged or with a user's `apply`
  std::optional<ClosenessRuns> near;      // in float32 arithmetic
};

// The same case with other data or another grid, to check whether a difference persists.
struct Variant {
  std::string where;  // "with seed 2", "on the grid 2^-18"
  Layouts layouts;
};

// The runs of a differing case and of its reference again, this time keeping their tensors.
struct Tensors {
  PendingRun owed;
  PendingRun got;
};

// Runs in float32 arithmetic of a case with a code-generating compiler, and of its twins (the case without one item each). In
// exact arithmetic the compiler does not run its generated code.
struct CompilerCodeRuns {
  PendingRun with;  // keeps its tensors
  std::vector<PendingRun> twins;
  std::optional<ClosenessRuns> near;  // of `with`; requested once the case completed
};

// One case with all its runs. Each member is requested only if an earlier run shows that it is needed: an incomplete case gets
// no second run, an equal one no variants.
struct Trial {
  PlannedCase planned;
  Layouts layouts;
  std::vector<PendingRun> twins;  // the stack without one item, for each item; empty if a user's function applies it
  std::optional<CompilerCodeRuns> compiler_code;  // for a case in exact arithmetic with a code-generating compiler
  std::optional<PendingRun> again;                // the second run of a completed case; the first if a recorded run equals it
  std::vector<Variant> variants;                  // other seed and grid, for a case that differs
  std::optional<Tensors> tensors;                 // for a bitwise difference that every variant has
  std::vector<Tensors> coarser;                   // the same on coarser grids, if only the last bits differ
  std::optional<Tensors> coarse_factors;          // both sides with Run::coarse_factors, if only last bits differ in user code
  std::string note = {};                          // why it ran on another grid than requested; printed with the result
};

// Requests the runs of the case, its reference and its recommended order. Runs for the noise floor are requested later, once
// the case completed.
Layouts ask_layouts(const Case& c, const Recommend& recommend, Runs& runs);

// Requests the first runs of a planned case. `quick`: without twins.
Trial begin_trial(const PlannedCase& planned, const Recommend& recommend, Runs& runs, bool quick = false);

// The same case in float32 arithmetic, where a compiler runs its generated code.
Case compiler_code_of(const Case& c);

// Requests a case's second run if it has none and, for float32 arithmetic or a compiler's generated code, the runs for the
// noise floor. Call it only after the first run completed.
void ask_again(Trial& trial, Runs& runs, bool quick = false);

// The records of all runs so far, as input for judge() (record/verdict_of_runs.h). An error if a file of tensors cannot be
// read.
Result<Comparison> comparison_of(const Trial& trial);

}  // namespace ordercheck
