// Several workers of one engine, each given one case at a time. A worker that breaks costs its case; the next case has
// a fresh one.
//
// Thread rules: run() delivers on the calling thread; one run() at a time. Workers stay between runs.
#pragma once

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/worker.h"

namespace ordercheck {

struct PoolOptions {
  int jobs = 1;  // workers, at least 1
  Limits limits;
  const std::atomic<bool>* stop = nullptr;  // set from outside: stop as soon as may be
};

class Pool {
 public:
  // Starts the first worker. An error where that fails.
  static Result<std::unique_ptr<Pool>> start(const EngineSpec& spec, const PoolOptions& options);

  // Ends every worker.
  ~Pool();
  Pool(const Pool&) = delete;

  const Hello& hello() const;

  // Called with the index of the run and its record, in the order in which they end.
  using Deliver = std::function<void(std::size_t index, const Record& record)>;

  // Runs all; their ids are replaced: the first of the pool's life is 1, and they go on with the index. A worker that
  // cannot be started again yields a record for its case (unstarted) and is tried again for the next one. False when `stop`
  // cut it short: what was running then is not delivered. An exception out of `deliver` stops too and is passed on.
  bool run(const std::vector<Run>& runs, const Deliver& deliver);

 private:
  struct State;
  explicit Pool(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Where one worker of a pool sits: it is started when a case comes, and replaced when it broke. Lives on one thread.

class Seat {
 public:
  Seat(const EngineSpec& spec, const WorkerOptions& options) : spec_(spec), options_(options) {}

  // Makes sure that a ready worker sits here. `expected` is the pool's hello, null for the first worker: a program that
  // was rebuilt in the middle of a pool's life is an error, since its records would pass for the old one's.
  Status prepare(const Hello* expected);

  const Hello& hello() const { return worker_->hello(); }

  // A record whatever happens; nothing when `stop` was set.
  std::optional<Record> run(const Run& run, const Hello& expected);

 private:
  EngineSpec spec_;
  WorkerOptions options_;
  std::unique_ptr<Worker> worker_;
};

// Ctrl-C as a flag: while one of these lives, SIGINT and SIGTERM set it in place of ending the process, so that workers
// are ended and what is done is kept. A second signal ends the process at once; its workers go with it.

class InterruptFlag {
 public:
  InterruptFlag();   // asserts that it is the only one
  ~InterruptFlag();  // the handlers of before are back
  InterruptFlag(const InterruptFlag&) = delete;

  const std::atomic<bool>* get() const;

 private:
  struct sigaction before_int_;
  struct sigaction before_term_;
};

}  // namespace ordercheck
