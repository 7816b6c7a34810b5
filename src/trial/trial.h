// One case and every run that its verdict is made of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parity/judge.h"
#include "plan/plan.h"
#include "trial/closeness.h"
#include "trial/runs.h"

namespace ordercheck {

// The recommended order of a stack's items; nothing where the rules give none.
using Recommend = std::function<std::optional<Stack>(const Stack&)>;

// A case and the layouts that its numbers are held against.
struct Layouts {
  PendingRun subject;
  PendingRun reference;                   // one rank, none of the layout transforms
  std::optional<PendingRun> recommended;  // nothing when the case is written so already, or a function of the user's applies it
  std::optional<ClosenessRuns> near;      // in float32 arithmetic
};

// The same case with other data, or on another grid: whether a difference is there too.
struct Variant {
  std::string where;  // "with seed 2", "on the grid 2^-18"
  Layouts layouts;
};

// Both sides of a difference, with their tensors kept.
struct Tensors {
  PendingRun owed;
  PendingRun got;
};

// Where exact arithmetic keeps a compiler from running the code that it writes: the same case, and its twins, in float32
// arithmetic, as a job has them.
struct CompilerCodeRuns {
  PendingRun with;  // its tensors kept
  std::vector<PendingRun> twins;
  std::optional<ClosenessRuns> near;  // of `with`; asked for once the case completed
};

// Each member is filled where the step before it has shown that it is needed: what did not complete needs no second run, and
// what does not differ no variants. A run that is asked for here is read here and nowhere else.
struct Trial {
  PlannedCase planned;
  Layouts layouts;
  std::vector<PendingRun> twins;  // the stack without one item, one an item; none where a function of the user's applies it
  std::optional<CompilerCodeRuns> compiler_code;  // of a case in exact arithmetic whose compiler writes code
  std::optional<PendingRun> again;                // the second run of a case that completed
  std::vector<Variant> variants;                  // of a case that differs
  std::optional<Tensors> tensors;                 // of a difference that persists and was compared bit for bit
  std::vector<Tensors> coarser;                   // the same on coarser grids, of a difference of last bits
  std::optional<Tensors> coarse_factors;  // both again, without tensors, of a difference of last bits in a user's own code
  std::string note = {};                  // of the record: why it ran on another grid than the one asked for
};

// The case on its own, its reference and its recommended order. Closeness is asked for later, once it completed.
Layouts ask_layouts(const Case& c, const Recommend& recommend, Runs& runs);

// `quick`: without twins.
Trial begin_trial(const PlannedCase& planned, const Recommend& recommend, Runs& runs, bool quick = false);

// The case in float32 arithmetic, where a compiler runs the code that it writes.
Case compiler_code_of(const Case& c);

// The second run, and what distances are held against: in float32 arithmetic, and of the compiler's own code. Only of a case
// that completed: whether a user's program compiled anything is seen then.
void ask_again(Trial& trial, Runs& runs, bool quick = false);

// All that was run so far, for the judge. An error when a file of values cannot be read.
Result<Comparison> comparison_of(const Trial& trial);

}  // namespace ordercheck
