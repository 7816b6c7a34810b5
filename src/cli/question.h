// What every subcommand about stacks is asked: stacks, for whom they are judged, and how the answer is to look.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "cli/knowledge.h"
#include "stack/stack.h"

namespace ordercheck::cli {

struct Question {
  std::vector<std::string> words;  // the stacks, one a word
  std::string target = "pytorch";
  std::string format = "text";
  std::string rules;
};

// Adds the stacks (`name`, described by `help`), --for, --format and --rules. `question` outlives `command`.
void add_question(CLI::App& command, const char* name, const char* help, Question& question);

// Exactly `count` stacks; an error for an unquoted arrow that the shell took.
Result<std::vector<Stack>> stacks_of(const std::vector<std::string>& words, std::size_t count = 1);

// The target written, with the newest version that is known where it has none.
Result<Target> target_for(const std::string& written, const Knowledge& knowledge);

// Whether a target that settles says its version itself.
bool names_version(const std::string& written);

bool wants_colour();  // a terminal, and NO_COLOR is not set

}  // namespace ordercheck::cli
