// Finds and reads the user's .ordercheck.toml, whose stacks are checked if the command line has none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/settings/project_file.h"
#include "matrix/engine_spec.h"
#include "rules/rule.h"
#include "rules/rule_selection.h"

namespace ordercheck::cli {

// The path of .ordercheck.toml, or of a pyproject.toml with [tool.ordercheck], in the current folder or the nearest folder
// above; nullopt if there is none.
std::optional<std::filesystem::path> find_project_file();

// Reads this file, which may have no stack.
Result<Project> read_project_file(const std::filesystem::path& file);

// Reads `file`, or find_project_file() if that is "". Its path is relative to the current folder. An error without a stack.
Result<Project> read_project(const std::string& file = "");

// Adds the rule pages in the folders that the project file names (`rules`). An error if an id is already taken.
Status add_own_rules(const Project& project, std::vector<Rule>& rules);

// Returns `specs` with `folder`, the folder of the project file, on PYTHONPATH. So the project's functions can be imported
// even if ordercheck runs in a subfolder.
std::vector<EngineSpec> importing_from(const std::filesystem::path& folder, std::vector<EngineSpec> specs);

// Returns an error with file and line if an entry that allows findings names an unknown rule.
Status check_allowed_rules(const Project& project, const std::vector<Rule>& rules);

// Removes the entries for rules that are not asked about: whether they cover a finding is unknown.
void leave_out_unasked(Project& project, const RuleSelection& asked);

// Validates --today; "" means the current UTC date of this machine.
Result<std::string> day_of(const std::string& today);

}  // namespace ordercheck::cli
