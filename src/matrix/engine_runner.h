// Runs cases on an engine's worker processes. A journal file stores finished runs, so that an interrupted matrix resumes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "matrix/journal.h"
#include "matrix/pool.h"
#include "record/messages.h"
#include "record/record.h"

namespace ordercheck {

// The interface to run cases. Tests replace the engine with their own implementation.

class Runner {
 public:
  virtual ~Runner() = default;

  // The name, versions and capabilities of the engine.
  virtual const Hello& hello() const = 0;

  // Called on the calling thread with the index of the run and its record, in order of completion.
  using Deliver = std::function<void(std::size_t index, const Record& record)>;

  // Runs everything to completion. A crash or a hang is a record too. A case given twice, in one call or in several, runs
  // twice. Returns an error if no further run is possible; records delivered before it stay valid.
  virtual Status run(const std::vector<Run>& runs, const Deliver& deliver) = 0;
};

class EngineRunner : public Runner {
 public:
  // Starts the engine. Call resume_from to use a journal; without one, no finished run is stored or reused.
  static Result<std::unique_ptr<EngineRunner>> start(const EngineSpec& spec, const PoolOptions& options);

  // Reuses finished runs from this journal file and appends new ones; `fresh` empties it first. Call before run().
  Status resume_from(const std::filesystem::path& journal, bool fresh);

  const Hello& hello() const override { return pool_->hello(); }

  // As Runner::run; also an error after Ctrl-C.
  Status run(const std::vector<Run>& runs, const Deliver& deliver) override;

  std::size_t from_journal() const { return from_journal_; }
  std::size_t delivered() const { return delivered_; }                         // from the journal or from a run
  const std::filesystem::path& journal_path() const { return journal_path_; }  // empty without a journal

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
