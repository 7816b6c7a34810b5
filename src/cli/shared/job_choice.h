// What is known of the job that a stack is judged for, as it is written on the command line: --set, --config, --world.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "rule/job.h"

namespace ordercheck::cli {

struct JobChoice {
  std::vector<std::string> sizes;  // "heads=32"
  std::string config;              // a path
  int ranks = 0;                   // 0: not known
};

void add_job_options(CLI::App& command, JobChoice& choice);

// What was written and nothing else: a size that was not given is unknown. What --set says is meant before what the config
// says. Which sizes the config gave, and which it lacks, goes to stderr.
Result<Job> job_of(const JobChoice& choice);

}  // namespace ordercheck::cli
