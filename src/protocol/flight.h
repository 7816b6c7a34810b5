// The flight file: where every rank is, in a file that survives the process. A worker maps it and writes one slot a
// rank; after a crash or a timeout the supervisor reads it.
//
// Thread rules: a slot has one writer (its rank); any thread or process may read. A reader sees a slot as some single
// write left it (a sequence lock), or says that it is torn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/record.h"

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
  std::uint64_t ticket = 0;  // larger was written later, over all ranks; 0 where nothing whole was written
  int fatal_signal = 0;      // the signal that this rank's thread raised (SIGSEGV, SIGABRT ...); 0 for none
  bool called_exit = false;  // this rank's thread called exit() or quick_exit()
};

class FlightRecorder {
 public:
  // Creates the file with `ranks` empty slots and maps it. Errors name the path. From the first one on, a fatal signal
  // and a call of exit() or quick_exit() are noted in the slot that the thread wrote last; a signal that the program
  // handles itself is not.
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

// All slots of a flight file, also one whose writer is gone or was killed in the middle of a write.
Result<std::vector<FlightSlot>> read_flight(const std::filesystem::path& path);

// "rank 2: forward, layers.1.attention, in all_gather #7 on tp, float64 [4, 24, 48]"
std::string describe(int rank, const FlightSlot& slot);

}  // namespace ordercheck
