// Executes every distinct run of a matrix once; all cases that need the run share its record.
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "matrix/engine_runner.h"

namespace ordercheck {

// Called with the number of finished runs and the number requested so far.
using OnProgress = std::function<void(std::size_t done, std::size_t asked)>;

enum class Turn { first, second };  // `second` executes the case again, to compare it with the first run

class Runs;

// A handle to a requested run: reads its record after Runs::run().
class PendingRun {
 public:
  const Case& subject() const;
  const Record& record() const;  // asserts that Runs::run() has returned since
  bool completed() const { return record().ending == Ending::completed; }

 private:
  friend class Runs;
  struct Slot {
    Case subject;
    std::optional<Record> record = {};
  };
  explicit PendingRun(const Slot* slot) : slot_(slot) {}
  const Slot* slot_;
};

class Runs {
 public:
  // `values_folder` holds the files of Keep::values, one folder per run; needed only for these.
  explicit Runs(Runner& runner, std::filesystem::path values_folder = {}, OnProgress on_progress = {});

  // Requests a run for the next run(). Repeated requests share one run. The handle is valid for the lifetime of this object.
  PendingRun ask(const Case& c, Turn turn = Turn::first, Keep keep = Keep::hashes, bool coarse_factors = false);

  // Injects `fault` into every run of exactly this stack, with any settings. Reference runs stay correct.
  void inject(const Stack& stack, const Fault& fault);

  // Executes the requested runs, the largest worlds first.
  Status run();

 private:
  struct Key {
    std::string case_text;
    Turn turn = Turn::first;
    Keep keep = Keep::hashes;
    bool coarse_factors = false;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  Result<Run> message_for(const Key& key, const Case& c) const;

  Runner& runner_;
  std::filesystem::path values_folder_;
  OnProgress on_progress_;
  std::map<Key, PendingRun::Slot> slots_;  // handles point into it: map nodes are stable
  std::optional<Stack> faulty_;
  std::optional<Fault> fault_;
};

}  // namespace ordercheck
