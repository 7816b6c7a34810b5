// The native engine for the length of one subcommand: its workers, a folder for tensors, Ctrl-C as a flag.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/interrupt.h"
#include "matrix/engine_runner.h"
#include "matrix/run.h"
#include "rule/rule.h"

namespace ordercheck::cli {

class EngineSession {
 public:
  // `jobs` 0: as many workers as the machine has hardware threads. An error says why nothing can be run.
  static Result<std::unique_ptr<EngineSession>> start(int jobs, double timeout_seconds);
  ~EngineSession();

  EngineRunner& runner() { return *runner_; }

  // Runs and judges. A bar with the time left goes to stderr where that is a terminal.
  Result<MatrixResult> run(const Plan& plan, const std::vector<Rule>& rules, RunOptions options);

 private:
  EngineSession() = default;

  InterruptFlag interrupt_;
  std::filesystem::path scratch_;
  std::unique_ptr<EngineRunner> runner_;
};

int exit_code_of(Verdict verdict);  // of one case by itself

}  // namespace ordercheck::cli
