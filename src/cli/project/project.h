// ordercheck check without a stack: checks the stacks of .ordercheck.toml, here or in a folder above.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/settings/project_report.h"
#include "cli/shared/question.h"
#include "rules/rule.h"

namespace ordercheck::cli {

// Wraps the report of one stack as a project report, with its findings at the lines of the items in `file`; without lines if
// `file` is "". `open`: see ProjectReport.
ProjectReport judged_in_file(Report report, const std::string& file, const std::vector<OpenPlace>& open = {});

// The path of a file relative to the root of its repository, as GitHub and code scanning use it. Without a repository, the
// file's name.
std::string from_repository(const std::filesystem::path& file);

// The options of `ordercheck check`, for stacks, files, code and project files alike.
struct CheckOptions {
  Question question;
  std::string today;                        // a date such as 2026-11-23 that `until` is compared with; "" for the current date
  std::string fix;                          // a project file to write repaired stacks into before checking it; "" for none
  std::vector<std::string> select, ignore;  // see RuleSelection::parse
  bool strict = false;                      // advice counts as an error
  bool quiet = false;                       // one line per stack
  bool verbose = false;                     // every finding in full
  bool statistics = false;                  // counts per rule instead of findings
};

const std::vector<std::string>& project_formats();  // text concise json sarif junit github

// Renders the report in the format of the options. Findings of a stack without a file have no line.
std::string render(const ProjectReport& report, const CheckOptions& options, const std::vector<Rule>& rules);

Result<int> check_project(const CheckOptions& asked);

}  // namespace ordercheck::cli
