// `ordercheck-ranks --env`: this process is one rank of a world that torchrun, mpirun, mpiexec or srun started.
//
// Rank 0 reads the cases, says what is run, judges it, and writes one table of evidence, which `ordercheck matrix merge` reads. After each
// case it writes the table anew, so that what was seen survives whatever happens to the rest. Only rank 0 writes to stdout, a line a case;
// what goes wrong is one line on stderr that names its rank.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "stack/case.h"

namespace ordercheck::ranks {

// The exit code. Of rank 0: 0 when nothing is against the cases, 1 when something is, 3 when a case is undecided, as when a rank was lost.
// Of the others: 0 when the world ended as it should, 3 when it was gone. Of all: 2 for input that must be changed.
int launch(int argument_count, const char* const* arguments);

// What `ordercheck-ranks --env` is asked to do.

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
