// ordercheck check without a stack: the stacks of the .ordercheck.toml here or in a folder above.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/question.h"
#include "project/project_report.h"
#include "rule/rule.h"

namespace ordercheck::cli {

const std::vector<std::string>& project_formats();  // text json sarif junit github

// As sarif, junit or github has it. Of a stack that no file names it stands at no line.
std::string render_for_ci(const ProjectReport& report, const std::string& format, const std::vector<Rule>& rules);

// A stack that `file` states, judged: its findings stand where its items do. Of no file where that is "".
ProjectReport judged_in_file(Report report, const std::string& file);

// A file as GitHub and code scanning count it, from the top of its repository, of which this folder may be a part. Where there is no
// repository the file is in its top folder.
std::string from_repository(const std::filesystem::path& file);

// The exit code. `today` is 2026-11-23, "" for the day of this machine. Reads the file and rule pages; runs and imports nothing
// that the file names.
struct ProjectCheck {
  Question question;
  std::string today;
  bool strict = false;
  bool quiet = false;  // a line a stack
  std::string fix;     // a file whose stacks are written anew where a repair is known, and then checked; "" for none
};
Result<int> check_project(const ProjectCheck& asked);

}  // namespace ordercheck::cli
