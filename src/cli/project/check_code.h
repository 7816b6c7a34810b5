// ordercheck check FILE.py|FOLDER: every order that training code can apply, judged; findings stand at its files and lines.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/question.h"

namespace ordercheck::cli {

// Whether what stands where a stack may is training code: a .py file, or a folder that is called like no stack.
bool is_code(const Question& question);

// The exit code: undecided if no stack is found, or if a call that may apply a transform was not followed. `today` is the day by
// which entries of .ordercheck.toml have expired. `quiet`: a line a stack.
Result<int> check_code(const Question& question, bool strict, const std::string& today, bool quiet);

}  // namespace ordercheck::cli
