// ordercheck check FILE.py|FOLDER: every order that training code can apply, judged; findings stand at its files and lines.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/question.h"

namespace ordercheck::cli {

// Whether what stands where a stack may is training code: a .py file, or a folder that is called like no stack.
bool is_code(const Question& question);

// The exit code. Of the stacks that `scan` finds, those with two transforms or more.
Result<int> check_code(const Question& question, bool strict);

}  // namespace ordercheck::cli
