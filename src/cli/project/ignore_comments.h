// Reads the comments of training code that accept a finding at their line: "# ordercheck: ignore[ORD-004] reason".
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/settings/project_file.h"
#include "import/code/scan.h"

namespace ordercheck::cli {

// One entry per id of each comment, in the order of the code. An error names file and line if a comment has another form or no
// reason. Does not know the ids of rules: see check_allowed_rules.
Result<std::vector<Allow>> ignore_comments(const ScannedCode& code);

}  // namespace ordercheck::cli
