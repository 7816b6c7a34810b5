// What `ordercheck-ranks --env` is asked to do.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "stack/case.h"

namespace ordercheck::ranks {

struct LaunchOptions {
  std::string cases;                 // a file with a case a line, or "-" for stdin; read by rank 0 alone
  std::string record;                // the file that rank 0 writes
  std::chrono::seconds timeout{60};  // for all ranks to come, and for each run
};

// Of the arguments after the program's name. `wish` is "" unless they ask for words on stdout (--help), which it then gets. An error is one
// line.
Result<LaunchOptions> parse_launch_options(int count, const char* const* arguments, std::string& wish);

// The cases of `text`, which `path` names in errors: empty lines and those that begin with # say nothing. An error for what is no case, for
// one that needs another number of ranks than `size`, or another arithmetic than the first, and for none at all.
Result<std::vector<Case>> parse_launched_cases(const std::string& text, const std::string& path, int size);

}  // namespace ordercheck::ranks
