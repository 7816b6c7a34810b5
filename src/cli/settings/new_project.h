// Writes the text of a new .ordercheck.toml.
#pragma once

#include <string>
#include <vector>

#include "cli/settings/project_file.h"

namespace ordercheck {

// A stack that was found in a configuration or in code. Of `entry`, the name, stack, target and job are written.
struct FoundStack {
  ProjectStack entry;
  std::vector<std::string> comments;     // where it was found, one line each
  std::vector<std::string> doubts = {};  // why `check` judges its file otherwise than the stack alone; one line each
};

// The text of a project file with these stacks, which parse_project() reads back. A stack with doubts is written in comments.
// Without another stack, the text is comments only, with an example. Names must differ, as they are displayed.
std::string render_new_project(const std::vector<FoundStack>& stacks);

}  // namespace ordercheck
