// Runs many cases at once, each distinct one once, and remembers their records.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "matrix/runner.h"

namespace ordercheck {

// One thing to run. `attempt` 1 is a real second run of the same case.
struct Task {
  std::string case_text;
  int attempt = 0;
  Keep keep = Keep::hashes;
  friend auto operator<=>(const Task&, const Task&) = default;
};

// Called from one thread at a time: how many of the tasks asked for so far are done.
using OnProgress = std::function<void(std::size_t done, std::size_t asked)>;

class Batch {
 public:
  // `values_folder` takes the files of Keep::values, a folder a task; needed only for these.
  Batch(Runner& runner, int jobs, std::filesystem::path values_folder = {}, OnProgress on_progress = {});

  // Wanted at the next run(). A task asked for before costs nothing.
  void want(const Case& c, int attempt = 0, Keep keep = Keep::hashes);

  // Runs what is wanted on `jobs` threads. The first error of the runner stops what was not begun and is returned.
  Status run();

  // The record of a task that was run; asserts that it was.
  const Record& record(const Case& c, int attempt = 0, Keep keep = Keep::hashes) const;

 private:
  Result<Record> run_one(const Task& task, std::int64_t id);

  Runner& runner_;
  int jobs_;
  std::filesystem::path values_folder_;
  OnProgress on_progress_;
  std::map<Task, Case> wanted_;
  std::map<Task, Record> records_;
};

}  // namespace ordercheck
