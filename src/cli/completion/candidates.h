// What may come next on a command line of ordercheck: what the completions of shells ask for.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ordercheck::cli {

// `words` are those behind "ordercheck", the last one as far as it is typed. Candidates begin as it does only where it is a
// stack: "tp=2,ac" gives "tp=2,ac", "tp=2,sac" and so on. Empty where a file or a number is wanted, or nothing is known.
// Subcommands and flags are read from `app`, transforms, rules and terms from where they are kept: nothing is typed twice.
std::vector<std::string> candidates_for(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace ordercheck::cli
