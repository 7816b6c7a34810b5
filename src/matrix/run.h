// Runs a plan: every case and what it is held against, judged, held against the rules, with the controls.
#pragma once

#include <filesystem>

#include "matrix/comparison.h"
#include "matrix/outcome.h"

namespace ordercheck {

struct RunOptions {
  std::filesystem::path values_folder;  // for tensors of divergent pairs; exists, and is the caller's to remove
  OnProgress on_progress;
  // Done to the plan's only case, to show that it is seen; a plan of several has none.
  std::string mutant;
  std::optional<Fault> fault;
};

// Same plan, same engine: same result, whatever order the runs end in. An error means that the engine could not be run at
// all; whatever happens to a single case is its outcome. Cases that the engine declines move to plan.not_planned.
Result<MatrixResult> run_matrix(const Plan& plan, Runner& runner, const std::vector<Rule>& rules, const Recommend& recommend,
                                const RunOptions& options);

struct Tally {
  std::vector<std::pair<Verdict, int>> verdicts;  // those seen, in the order of Verdict
  int confirmed = 0;
  int open = 0;
  int explained = 0;       // contradictions that a page explains
  int contradictions = 0;  // those that no page explains
  int undecided = 0;
  int controls_failed = 0;
};
Tally tally_of(const MatrixResult& result);

}  // namespace ordercheck
