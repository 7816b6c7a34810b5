// Records each rank's current step, module and collective, in a memory-mapped file that survives the process. A worker writes
// one slot per rank; the supervisor reads them after a crash or timeout.
//
// Threads: each slot has one writer (its rank); any thread or process may read. A sequence lock gives readers the state after
// one whole write, or a slot marked as torn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/record.h"

namespace ordercheck {

struct FlightSlot {
  bool used = false;
  bool torn = false;
  int step = 0;
  Phase phase = Phase::build;
  std::string module;     // up to 95 bytes
  std::string operation;  // up to 47 bytes: "all_gather", "" between collectives
  std::string group;      // up to 23 bytes
  std::int64_t sequence = -1;
  std::string shape;  // up to 47 bytes: "float64 [4, 24, 48]"
  bool finished = false;
  std::uint64_t ticket = 0;  // orders the writes of all ranks: larger is later; 0 if no write finished
  int fatal_signal = 0;      // signal raised by this rank's thread (SIGSEGV, SIGABRT ...); 0 if none
  bool called_exit = false;  // this rank's thread called exit() or quick_exit()
};

class FlightRecorder {
 public:
  // Creates and maps a file with `ranks` empty slots. Errors name the path. The first call installs handlers: fatal signals and
  // exit() or quick_exit() are noted in the slot that the thread wrote last. Signals that the program handles already keep
  // their handler.
  static Result<std::unique_ptr<FlightRecorder>> create(const std::filesystem::path& path, int ranks);
  ~FlightRecorder();
  FlightRecorder(const FlightRecorder&) = delete;

  void at_step(int rank, int step, Phase phase);
  void at_module(int rank, Phase phase, std::string_view module);
  void at_collective(int rank, std::string_view operation, std::string_view group, std::int64_t sequence,
                     std::string_view shape);
  void left_collective(int rank);
  void finished(int rank);

 private:
  struct Mapping;
  explicit FlightRecorder(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

// Reads the slots of all ranks, even if the worker exited or was killed while writing.
Result<std::vector<FlightSlot>> read_flight(const std::filesystem::path& path);

// "rank 2: forward, layers.1.attention, in all_gather #7 on tp, float64 [4, 24, 48]"
std::string describe(int rank, const FlightSlot& slot);

}  // namespace ordercheck
