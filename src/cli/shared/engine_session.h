// One engine for the length of one subcommand: its workers, a folder for tensors, Ctrl-C as a flag.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine_spec.h"
#include "engine/pool.h"
#include "rule/rule.h"
#include "trial/engine_runner.h"
#include "trial/run_plan.h"

namespace ordercheck::cli {

class EngineSession {
 public:
  // `jobs` 0: as many workers as the machine has hardware threads for. An error says why nothing can be run.
  static Result<std::unique_ptr<EngineSession>> start(const EngineSpec& spec, int jobs, double timeout_seconds);
  ~EngineSession();

  EngineRunner& runner() { return *runner_; }

  // Runs and judges. A bar with the time left goes to stderr where that is a terminal.
  Result<PlanResult> run(const Plan& plan, const std::vector<Rule>& rules, RunOptions options);

 private:
  EngineSession() = default;

  InterruptFlag interrupt_;
  std::filesystem::path scratch_;
  std::unique_ptr<EngineRunner> runner_;
};

int exit_code_of(Verdict verdict);  // of one case by itself

// Held against the rules too: what contradicts them speaks against it unless a page explains it.
int exit_code_of(const Outcome& outcome);

// What decides of several: input that must be changed, then against, then undecided.
int worst_of(const std::vector<int>& exit_codes);

}  // namespace ordercheck::cli
