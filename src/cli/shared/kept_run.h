// One short run of a stack on an engine whose records can hold graphs: what the subcommands that show them start with.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/engine_choice.h"
#include "parity/record.h"
#include "protocol/messages.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// The record of a run that came to an end, or the exit code of one that did not, which was told on stderr.
struct KeptRun {
  std::string stack;  // as it prints
  Record record;
  int exit_code = 0;  // of what was told; 0 where the record is complete
};

// Tells notes on stderr. An error is bad input.
Result<KeptRun> run_and_keep(const std::string& subcommand, const std::string& stack, const EngineChoice& choice, Keep keep);

}  // namespace ordercheck::cli
