// Where one worker of a pool sits: it is started when a case comes, and replaced when it broke. Lives on one thread.
#pragma once

#include <memory>
#include <optional>

#include "engine/worker.h"

namespace ordercheck {

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

}  // namespace ordercheck
