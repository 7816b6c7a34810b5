// Computes the candidates for the next word of a command line, for shell completion.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ordercheck::cli {

// Returns the candidates for the last of `words`, the words of the command line after "ordercheck". Only stacks extend the
// typed text: "tp=2,ac" gives "tp=2,ac", "tp=2,sac" and so on; the shell filters other candidates. Empty for files, numbers
// and unknown positions. Reads subcommands and flags from `app`, so that they are defined once.
std::vector<std::string> candidates_for(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace ordercheck::cli
