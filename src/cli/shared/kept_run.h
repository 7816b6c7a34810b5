// One short run of a stack on an engine whose records can hold graphs: what the subcommands that show them start with.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/engine_choice.h"
#include "engine/engine_file.h"
#include "importer/imported.h"
#include "parity/record.h"
#include "plan/result.h"
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

// A run of a stack that another project's file states: who ran it, and what of the file it leaves out.

// The line above the answer: which engine ran the stack, and whether that is the project's own code.
std::string render_who_ran(const std::string& file, const Imported& imported, const Hello& hello,
                           const std::vector<EngineFile>& engines);

// The outcome is open if the file states something that the stack has no item for: the run shows nothing about that.
void leave_open(Outcome& outcome, const Imported& imported);

// The exit code of a run of what a file states: equal is not enough if something of the file was left out.
int exit_code_of(const Outcome& outcome, const Imported& imported);

}  // namespace ordercheck::cli
