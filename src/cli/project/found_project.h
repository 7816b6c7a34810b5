// The .ordercheck.toml that is meant where no stack is named, and what it needs of the rest.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_spec.h"
#include "project/project_file.h"
#include "rule/rule.h"

namespace ordercheck::cli {

// The file of this folder, or of the nearest above that has one.
std::optional<std::filesystem::path> find_project_file();

// `file`; where that is "", of this folder or the nearest above that has one; its path is as seen from here.
Result<Project> read_project(const std::string& file = "");

// Adds the pages of the project's own folders; an id stands for one page.
Status add_own_rules(const Project& project, std::vector<Rule>& rules);

// Functions of the project's own are found from `folder`, that of its file, wherever below it this was started.
std::vector<EngineSpec> importing_from(const std::filesystem::path& folder, std::vector<EngineSpec> specs);

// Every entry of [[allow]] names one of them.
Status check_allowed_rules(const Project& project, const std::vector<Rule>& rules);

// `today` as it was written with --today: "" is the day of this machine.
Result<std::string> day_of(const std::string& today);

}  // namespace ordercheck::cli
