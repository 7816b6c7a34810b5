// ordercheck check FILE.py|FOLDER: judges every order that training code can apply, with findings at its files and lines.
#pragma once

#include "base/result.h"
#include "cli/project/project.h"
#include "cli/shared/question.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// Whether the stack has only an item such as amp or optimizer beside what is between transforms, so that there is no order to
// check.
bool is_lone_number(const Stack& stack);

// Whether the argument is training code: a .py file, or a folder whose name is not a valid stack.
bool is_code(const Question& question);

// Checks the code and returns the exit code: kUndecided if no stack is found, or if a call that may apply a transform was not
// followed.
Result<int> check_code(const CheckOptions& options);

}  // namespace ordercheck::cli
