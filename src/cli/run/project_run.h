// ordercheck run without a stack: runs the stacks of .ordercheck.toml, here or in a folder above, with their own code and
// settings.
#pragma once

#include "base/result.h"
#include "cli/run/one_run.h"

namespace ordercheck::cli {

// Runs each stack of the file and returns the worst exit code. Command line options override the file. A wrong run that a rule
// predicts and an [[allow]] entry covers is printed, but does not affect the exit code.
Result<int> run_project(const RunCommand& command);

}  // namespace ordercheck::cli
