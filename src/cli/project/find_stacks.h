// Finds the stacks of a repository: those that its configurations state and those that its training code applies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/settings/new_project.h"

namespace ordercheck::cli {

struct FoundStacks {
  // Configurations first, by path. Equal stacks once, with the comments of all; one with doubts is not equal to one without.
  std::vector<FoundStack> stacks;
  std::vector<std::string> doubted;  // files of the stacks with doubts, in order, each once
  std::size_t files = 0;             // that were read: configurations of a known format, and .py files
  std::size_t open = 0;              // .py files that could not be read, and calls that were not understood, without a stack
};

// Reads the current folder and the folders below it, except hidden ones and those of dependencies (venv, node_modules, build). Files
// that `import` does not recognize are left out. Nothing is imported or run. An error if python3, which parses code, fails.
Result<FoundStacks> find_stacks();

}  // namespace ordercheck::cli
