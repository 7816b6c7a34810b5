// What every subcommand about stacks is asked: stacks, for whom they are judged, and how the answer is to look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "importer/import.h"
#include "knowledge/knowledge.h"
#include "rule/job.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// A stack as the command line has it: in its notation, or as a file of another project that states it.

struct WrittenStack {
  Stack stack;
  std::optional<Imported> imported;  // where a file states it
};

// What the notation can read is meant as it, whatever files there are. `as`: the format of a file, "" where its keys say.
Result<WrittenStack> stack_written(const std::string& word, const std::string& as = "");

// Whether a file or folder is meant: one is there, or the word ends like a configuration.
bool names_file(const std::string& word);

// What a configuration states. Files that it names are read where they are beside it, or where its path leads from here. An error for
// training code, which `scan` and `check` read.
Result<Imported> import_file(const std::string& path, const ImportOptions& options = {});

// The job with the ranks and sizes that the file states where the command line gave none.
Job with_stated(Job job, const Imported& imported);

// What is known of the job that a stack is judged for, as it is written on the command line: --set, --config, --world.

struct JobChoice {
  std::vector<std::string> sizes;  // "heads=32"
  std::string config;              // a path
  int ranks = 0;                   // 0: not known
};

void add_job_options(CLI::App& command, JobChoice& choice);

// What was written and nothing else: a size that was not given is unknown. What --set says is meant before what the config
// says. Which sizes the config gave, and which it lacks, goes to stderr.
Result<Job> job_of(const JobChoice& choice);

struct Question {
  std::vector<std::string> words;  // the stacks, one a word
  std::string as;                  // the format of the files among them, where their keys do not say
  std::string target;              // "" when it was not said
  std::string python;              // an interpreter whose torch is meant
  JobChoice job;
  std::string format = "text";
  std::string rules;
};

// Adds the stacks (`name`, described by `help`), --as, --for, --python, the sizes of the job, --format and --rules. `question`
// outlives `command`.
void add_question(CLI::App& command, const char* name, const char* help, Question& question);

// Exactly `count` stacks, each in its notation or as a file that states it; an error for an unquoted arrow that the shell took.
Result<std::vector<WrittenStack>> stacks_of(const std::vector<std::string>& words, const std::string& as,
                                            std::size_t count = 1);

void add_as_option(CLI::App& command, std::string& as);  // --as

void add_target_option(CLI::App& command, std::string& target);  // --for

// A question as it was asked: what is to be judged, and all that it takes to judge it.
struct CheckInput {
  Stack stack;
  std::optional<Imported> imported;  // where a file states it
  Knowledge knowledge;
  SettledTarget settled;
  Job job;  // with what the file states
};
Result<CheckInput> read_question(const Question& question);

bool wants_colour();  // a terminal, and NO_COLOR is not set

}  // namespace ordercheck::cli
