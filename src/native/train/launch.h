// Implements `ordercheck-ranks --env`: one rank of a world that torchrun, mpirun, mpiexec or srun started.
//
// Rank 0 reads the cases, announces each run to the other ranks, derives its verdict, and writes one evidence table for
// `ordercheck matrix merge`. It rewrites the table after each case, so that a later crash loses no result. Only rank 0 writes
// to stdout, one line per case. Errors are one line on stderr that names the rank.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "stack/case.h"

namespace ordercheck::ranks {

// Returns the exit code. Rank 0: 0 if all cases pass, 1 if one fails, 3 if one has no verdict, for example because a rank was
// lost. Other ranks: 0 if rank 0 announced the end, 3 if they lost the world. All ranks: 2 for invalid arguments or cases.
int launch(int argument_count, const char* const* arguments);

// The options of `ordercheck-ranks --env`.

struct LaunchOptions {
  std::string cases;                 // a file with one case per line, or "-" for stdin; only rank 0 reads it
  std::string record;                // the file that rank 0 writes
  std::chrono::seconds timeout{60};  // for all ranks to connect, and for each run
};

// Parses the arguments after the program's name. Sets `wish` to the help text if --help is given, else to "". An error is one
// line.
Result<LaunchOptions> parse_launch_options(int count, const char* const* arguments, std::string& wish);

// Parses the cases in `text`, one per line; `path` names the file in errors. Skips empty lines and lines that begin with #.
// Returns an error if a case is invalid or does not need exactly `size` ranks, if cases differ in arithmetic, or if there is no
// case.
Result<std::vector<Case>> parse_launched_cases(const std::string& text, const std::string& path, int size);

}  // namespace ordercheck::ranks
