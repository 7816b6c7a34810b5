// What every subcommand about stacks is asked: stacks, for whom they are judged, and how the answer is to look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "cli/shared/job_choice.h"
#include "cli/shared/knowledge.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// Whom a stack is judged for where nobody is named, and the project that an interpreter has a version of.
inline constexpr const char* kUsualTarget = "pytorch";

struct Question {
  std::vector<std::string> words;  // the stacks, one a word
  std::string target;              // "" when it was not said
  std::string python;              // an interpreter whose torch is meant
  JobChoice job;
  std::string format = "text";
  std::string rules;
};

// Adds the stacks (`name`, described by `help`), --for, --python, the sizes of the job, --format and --rules. `question`
// outlives `command`.
void add_question(CLI::App& command, const char* name, const char* help, Question& question);

// Exactly `count` stacks; an error for an unquoted arrow that the shell took.
Result<std::vector<Stack>> stacks_of(const std::vector<std::string>& words, std::size_t count = 1);

void add_target_option(CLI::App& command, std::string& target);  // --for

// The target that is meant. "": pytorch.
struct MeantTarget {
  Target target;                           // has a version: the newest that is known where none was said
  bool assumed = false;                    // its version was not said
  std::optional<Version> newest_run = {};  // of its project, where its version is newer than that
};
Result<MeantTarget> target_for(const std::string& written, const Knowledge& knowledge);

// The same, or, where an interpreter is named, pytorch with the version of torch in it, which is not imported. An error
// where both are named and are not the same.
Result<MeantTarget> target_for(const std::string& written, const std::string& python, const Knowledge& knowledge);

// A question as it was asked: what is to be judged, and all that it takes to judge it.
struct Asked {
  Stack stack;
  Knowledge knowledge;
  MeantTarget meant;
  Job job;
};
Result<Asked> ask(const Question& question);

bool wants_colour();  // a terminal, and NO_COLOR is not set

}  // namespace ordercheck::cli
