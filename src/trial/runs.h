// Every distinct run once, and its record for whoever asked for it.
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "trial/engine_runner.h"

namespace ordercheck {

// How many of the runs asked for so far are done.
using OnProgress = std::function<void(std::size_t done, std::size_t asked)>;

enum class Turn { first, second };  // the second run of a case is a real one: it shows whether the first repeats itself

class Runs;

// A run that was asked for: who asks holds this and reads the record through it, so that what is wanted is stated once.
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
  // `values_folder` takes the files of Keep::values, a folder a run; needed only for these.
  explicit Runs(Runner& runner, std::filesystem::path values_folder = {}, OnProgress on_progress = {});

  // Wanted at the next run(). What was asked for before costs nothing. Valid for as long as this lives.
  PendingRun ask(const Case& c, Turn turn = Turn::first, Keep keep = Keep::hashes, bool coarse_factors = false);

  // Gives `fault` to every run of exactly this stack, with any settings. The runs that it is compared with stay correct.
  void inject(const Stack& stack, const Fault& fault);

  // Runs what is wanted, the largest worlds first.
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
  std::map<Key, PendingRun::Slot> slots_;  // a map's nodes stay where they are
  std::optional<Stack> faulty_;
  std::optional<Fault> fault_;
};

}  // namespace ordercheck
