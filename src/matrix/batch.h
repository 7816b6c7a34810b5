// Runs many cases at once, each distinct one once, and remembers their records.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "matrix/runner.h"

namespace ordercheck {

// One thing to run. `attempt` 1 is a real second run of the same case.
struct Task {
  std::string case_text;
  int attempt = 0;
  Keep keep = Keep::hashes;
  friend auto operator<=>(const Task&, const Task&) = default;
};

// How many of the tasks asked for so far are done.
using OnProgress = std::function<void(std::size_t done, std::size_t asked)>;

class Batch {
 public:
  // `values_folder` takes the files of Keep::values, a folder a task; needed only for these.
  explicit Batch(Runner& runner, std::filesystem::path values_folder = {}, OnProgress on_progress = {});

  // Wanted at the next run(). A task asked for before costs nothing.
  void want(const Case& c, int attempt = 0, Keep keep = Keep::hashes);

  // With a mutant or a fault, for every task of this very stack, whatever its settings: what it is held against stays
  // sound.
  void mutate(const Stack& stack, std::string mutant, std::optional<Fault> fault);

  // Runs what is wanted, the largest worlds first.
  Status run();

  // The record of a task that was run; asserts that it was.
  const Record& record(const Case& c, int attempt = 0, Keep keep = Keep::hashes) const;

 private:
  Result<Request> request_of(const Task& task, const Case& c) const;

  Runner& runner_;
  std::filesystem::path values_folder_;
  OnProgress on_progress_;
  std::map<Task, Case> wanted_;
  std::map<Task, Record> records_;
  std::optional<Stack> mutated_;
  std::string mutant_;
  std::optional<Fault> fault_;
};

}  // namespace ordercheck
