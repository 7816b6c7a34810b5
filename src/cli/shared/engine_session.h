// Holds one engine for the duration of a subcommand: its workers, a folder for tensors, and Ctrl-C as a flag.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "matrix/engine_runner.h"
#include "matrix/engine_spec.h"
#include "matrix/pool.h"
#include "matrix/run_plan.h"
#include "rules/rule.h"

namespace ordercheck::cli {

class EngineSession {
 public:
  // `jobs` 0: as many workers as fit the hardware threads. An error says why nothing can run.
  static Result<std::unique_ptr<EngineSession>> start(const EngineSpec& spec, int jobs, double timeout_seconds);
  ~EngineSession();

  EngineRunner& runner() { return *runner_; }

  // Runs the cases of a plan and computes their verdicts. Shows progress and the remaining time on stderr.
  Result<PlanResult> run(const Plan& plan, const std::vector<Rule>& rules, RunOptions options);

 private:
  EngineSession() = default;

  InterruptFlag interrupt_;
  std::filesystem::path scratch_;
  std::unique_ptr<EngineRunner> runner_;
};

int exit_code_of(Verdict verdict);  // for a single case

// The exit code for a case compared with the rules: an unexplained contradiction is kDecidedAgainst.
int exit_code_of(const Outcome& outcome);

// The most severe of several exit codes: kBadInput, then kDecidedAgainst, then kUndecided.
int worst_of(const std::vector<int>& exit_codes);

}  // namespace ordercheck::cli
