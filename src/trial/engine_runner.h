// Runs cases on a real engine: a pool of its workers, with a journal to go on from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/journal.h"
#include "engine/pool.h"
#include "parity/record.h"
#include "protocol/messages.h"

namespace ordercheck {

// What runs cases: a trial asks through this, so that its orchestration can be tested without any engine.

class Runner {
 public:
  virtual ~Runner() = default;

  // What the engine is and can build.
  virtual const Hello& hello() const = 0;

  // Called with the index of the run and its record, in the order in which they end, on the calling thread.
  using Deliver = std::function<void(std::size_t index, const Record& record)>;

  // Does every run to its end, whatever the end is: a crash or a hang is a record too. A case that stands twice, in one call or
  // in several, is really run twice. An error means that it could not go on at all; what was delivered until then counts.
  virtual Status run(const std::vector<Run>& runs, const Deliver& deliver) = 0;
};

class EngineRunner : public Runner {
 public:
  // Without a journal file nothing is resumed and nothing kept.
  static Result<std::unique_ptr<EngineRunner>> start(const EngineSpec& spec, const PoolOptions& options);

  // Goes on from this journal; with `fresh`, from an empty one in its place. To be called before anything is run.
  Status resume_from(const std::filesystem::path& journal, bool fresh);

  const Hello& hello() const override { return pool_->hello(); }

  // An error too when it was interrupted.
  Status run(const std::vector<Run>& runs, const Deliver& deliver) override;

  std::size_t from_journal() const { return from_journal_; }
  std::size_t delivered() const { return delivered_; }                         // these and those that were run
  const std::filesystem::path& journal_path() const { return journal_path_; }  // "" without one

 private:
  explicit EngineRunner(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}

  std::unique_ptr<Pool> pool_;
  std::unique_ptr<Journal> journal_;
  std::filesystem::path journal_path_;
  std::size_t from_journal_ = 0;
  std::size_t delivered_ = 0;
};

// The journal of an engine's build in the cache folder: "<cache>/journal/native-<hash>.jsonl".
Result<std::filesystem::path> default_journal(const Hello& hello);

}  // namespace ordercheck
