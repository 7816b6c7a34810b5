// ordercheck run without a stack: those of the .ordercheck.toml here or in a folder above, each with its own code and settings.
#pragma once

#include "base/result.h"
#include "cli/run/one_run.h"

namespace ordercheck::cli {

// The exit code: the worst of the stacks'. Options go before what the file says. A harm that a page predicts and an entry of
// [[allow]] lets stand is told, and is none of the worst.
Result<int> run_project(const RunCommand& command);

}  // namespace ordercheck::cli
