// Runs a stack once on an engine that can record graphs, for the subcommands that show them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/engine_choice.h"
#include "import/imported.h"
#include "matrix/engine_file.h"
#include "matrix/plan_result.h"
#include "record/messages.h"
#include "record/record.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// The record of a completed run, or the exit code of a failure that was already reported on stderr.
struct KeptRun {
  std::string stack;  // as printed
  Record record;
  int exit_code = 0;  // 0 if the record is complete
};

// Runs `stack` once with `keep` and returns its record. Prints the record's notes on stderr. An error is bad input.
Result<KeptRun> run_and_keep(const std::string& subcommand, const std::string& stack, const EngineChoice& choice, Keep keep);

// For a stack that was imported from a configuration file: tells which engine ran it and which settings were left out.

// The line above the answer: the engine that ran the stack, and whether that is the project's own code.
std::string render_who_ran(const std::string& file, const Imported& imported, const Hello& hello,
                           const std::vector<EngineFile>& engines);

// Marks the outcome as open if the file has settings without an item: the run shows nothing about those.
void leave_open(Outcome& outcome, const Imported& imported);

// The exit code of a run of a file: undecided instead of success if something was left out.
int exit_code_of(const Outcome& outcome, const Imported& imported);

}  // namespace ordercheck::cli
