// ordercheck check FILE.py|FOLDER: every order that training code can apply, judged; findings stand at its files and lines.
#pragma once

#include <string>

#include "base/result.h"
#include "check/check.h"
#include "cli/shared/question.h"
#include "importer/code/scan.h"

namespace ordercheck::cli {

// Whether what stands where a stack may is training code: a .py file, or a folder that is called like no stack.
bool is_code(const Question& question);

// The exit code: undecided if no stack is found, or if a call that may apply a transform was not followed. `today` is the day by
// which entries of .ordercheck.toml have expired. `quiet`: a line a stack.
Result<int> check_code(const Question& question, bool strict, const std::string& today, bool quiet);

// A scanned stack, judged also where the code does not show what an option is.

// Each option that the code leaves open is tried with every value. A finding that all values share stands; one that some of them
// have is advice that begins with "if ...". An option whose value the notation has no word for keeps only what all values share.
Report check_scanned(const ScannedStack& one, const Judge& judge);

}  // namespace ordercheck::cli
