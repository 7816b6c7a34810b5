// Runs cases on several workers of one engine, one case at a time each. A worker that breaks loses only its current case; a new
// worker runs the next one.
//
// Thread rules: run() delivers on the calling thread, and only one run() at a time. Workers stay alive between runs.
#pragma once

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "matrix/worker.h"

namespace ordercheck {

struct PoolOptions {
  int jobs = 1;  // workers, at least 1
  Limits limits;
  const std::atomic<bool>* stop = nullptr;  // when a signal handler sets it, run() stops as soon as possible
};

class Pool {
 public:
  // Starts the first worker process and reads its hello. An error if that fails.
  static Result<std::unique_ptr<Pool>> start(const EngineSpec& spec, const PoolOptions& options);

  // Ends every worker.
  ~Pool();
  Pool(const Pool&) = delete;

  const Hello& hello() const;

  // Called with the index of the run and its record, in order of completion.
  using Deliver = std::function<void(std::size_t index, const Record& record)>;

  // Executes all runs and calls `deliver` for each. Replaces their ids by consecutive numbers, starting at 1 for the pool. If
  // a worker cannot be restarted, its case gets an `unstarted` record, and the next case tries again. Returns false if `stop`
  // interrupted it; unfinished runs are not delivered. An exception from `deliver` also stops the pool and propagates.
  bool run(const std::vector<Run>& runs, const Deliver& deliver);

 private:
  struct State;
  explicit Pool(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Owns one worker process of a pool: starts it on demand and replaces it after a failure. Used by one thread only.

class Seat {
 public:
  Seat(const EngineSpec& spec, const WorkerOptions& options) : spec_(spec), options_(options) {}

  // Starts a worker if none is ready. `expected` is the hello of the pool's first worker, null for that worker itself. An
  // error if the new worker's hello differs, because the program was rebuilt meanwhile: its records would be attributed to the
  // old program.
  Status prepare(const Hello* expected);

  const Hello& hello() const { return worker_->hello(); }

  // Executes one run. Returns a record even if the worker crashes, hangs or cannot start; nullopt if `stop` was set.
  std::optional<Record> run(const Run& run, const Hello& expected);

 private:
  EngineSpec spec_;
  WorkerOptions options_;
  std::unique_ptr<Worker> worker_;
};

// Turns SIGINT and SIGTERM into a flag during its lifetime, so that workers end and finished records are kept. A second signal
// ends the process at once, and its workers with it.

class InterruptFlag {
 public:
  InterruptFlag();   // asserts that it is the only instance
  ~InterruptFlag();  // restores the previous handlers
  InterruptFlag(const InterruptFlag&) = delete;

  const std::atomic<bool>* get() const;

 private:
  struct sigaction before_int_;
  struct sigaction before_term_;
};

}  // namespace ordercheck
