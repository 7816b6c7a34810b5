// ordercheck check without a stack: the stacks of the .ordercheck.toml here or in a folder above.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/question.h"

namespace ordercheck::cli {

const std::vector<std::string>& project_formats();  // text json sarif junit github

// The exit code. `today` is 2026-11-23, "" for the day of this machine. Reads the file and rule pages; runs and imports nothing
// that the file names.
Result<int> check_project(const Question& question, const std::string& today, bool strict);

}  // namespace ordercheck::cli
