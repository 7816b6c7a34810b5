// A run of a stack that another project's file states: who ran it, and what of the file it leaves out.
#pragma once

#include <string>
#include <vector>

#include "engine/engine_file.h"
#include "importer/imported.h"
#include "plan/result.h"

namespace ordercheck::cli {

// The line above the answer: which engine ran the stack, and whether that is the project's own code.
std::string render_who_ran(const std::string& file, const Imported& imported, const Hello& hello,
                           const std::vector<EngineFile>& engines);

// The outcome is open if the file states something that the stack has no item for: the run shows nothing about that.
void leave_open(Outcome& outcome, const Imported& imported);

// The exit code of a run of what a file states: equal is not enough if something of the file was left out.
int exit_code_of(const Outcome& outcome, const Imported& imported);

}  // namespace ordercheck::cli
