// Runs a program to its end and returns its output and exit status. For short queries such as an interpreter's torch version.
// An engine's worker process is a Worker (worker.h).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/child_process.h"

namespace ordercheck {

struct FinishedProgram {
  ProcessEnd end;
  std::string output;      // all of stdout
  std::string last_error;  // the last non-blank line of stderr, bounded; "" if there is none
};

// Starts `command` as ChildProcess does, writes `input` to its stdin, closes it, and reads until the program ends. Returns an
// error if it cannot start or exceeds `limit`; its whole process group is killed then.
Result<FinishedProgram> run_to_end(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                                   const std::string& input, std::chrono::milliseconds limit);

}  // namespace ordercheck
