// Reads the input of subcommands about stacks: the stacks, the target, the job and the output format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "import/import.h"
#include "matrix/knowledge.h"
#include "rules/job.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// A stack from the command line, in its notation or from another project's file.

struct WrittenStack {
  Stack stack;
  std::optional<Imported> imported;  // if from a file
};

// Reads a command-line word as a stack or as a configuration file. A word that parses as a stack is one, even if a file has
// that name. `as`: the format of the file, "" to detect it.
Result<WrittenStack> stack_written(const std::string& word, const std::string& as = "");

// Whether the word means a file or folder: one exists, or the word ends like a configuration file.
bool names_file(const std::string& word);

// Imports a configuration. Files that it names are read relative to it, else relative to the current folder. Returns an error
// for training code, which `scan` and `check` read.
Result<Imported> import_file(const std::string& path, const ImportOptions& options = {});

// Adds the ranks and sizes that the imported file states to the job. Those from the command line take precedence.
Job with_stated(Job job, const Imported& imported);

// The options that describe the training job of a stack: --set, --config and --ranks.

struct JobChoice {
  std::vector<std::string> sizes;  // "heads=32"
  std::string config;              // a path
  int ranks = 0;                   // 0 if unknown
};

void add_job_options(CLI::App& command, JobChoice& choice);
void add_size_options(CLI::App& command, JobChoice& choice);  // --set and --config alone

// The job of these options; sizes that they do not give are unknown. --set overrides --config. Prints on stderr which sizes
// the config has and lacks.
Result<Job> job_of(const JobChoice& choice);

struct Question {
  std::vector<std::string> words;  // one stack per word
  std::string as;                  // the format of files, if it cannot be detected
  std::string target;              // "" if not given
  std::string python;              // an interpreter, whose torch version is the target
  JobChoice job;
  std::string format = "text";
  std::string rules;
};

// Adds the stacks (`name`, described by `help`), --as, --for, --python, the sizes of the job, --format and --rules. `question`
// must outlive `command`.
void add_question(CLI::App& command, const char* name, const char* help, Question& question);

// Reads exactly `count` stacks, each in its notation or as a file. Returns an error for an unquoted arrow that the shell took.
Result<std::vector<WrittenStack>> stacks_of(const std::vector<std::string>& words, const std::string& as,
                                            std::size_t count = 1);

void add_as_option(CLI::App& command, std::string& as);  // --as

void add_target_option(CLI::App& command, std::string& target);  // --for

// A stack with everything needed to check it.
struct CheckInput {
  Stack stack;
  std::optional<Imported> imported;  // if from a file
  Knowledge knowledge;
  SettledTarget settled;
  Job job;  // including the file's ranks and sizes
};
Result<CheckInput> read_question(const Question& question);

bool wants_colour();  // on a terminal, unless NO_COLOR is set

}  // namespace ordercheck::cli
