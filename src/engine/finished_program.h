// A program that is run to its end: what it wrote and how it ended. For programs that answer one question; what speaks
// the protocol is a Worker.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/child_process.h"

namespace ordercheck {

struct FinishedProgram {
  ProcessEnd end;
  std::string output;      // stdout, whole
  std::string last_error;  // the last line of stderr that is not blank, bounded; "" when there is none
};

// Starts `command` as ChildProcess does, writes `input` to its stdin and closes that, and reads until it ends. An error
// when it cannot be started or has not ended within `limit`; it is killed then, with all that it started.
Result<FinishedProgram> run_to_end(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                                   const std::string& input, std::chrono::milliseconds limit);

}  // namespace ordercheck
