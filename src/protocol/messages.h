// The messages between the supervisor and a worker: one JSON object a line, over the worker's stdin and stdout.
//
//   worker      hello                       once, at start
//   supervisor  run                         one case; the worker is busy until it answered with `record`
//   worker      progress ... record
//   supervisor  (closes stdin)              the worker ends
//
// The schema of every message stands in schema/*.json and is checked on both sides: a worker that writes anything else
// has written nonsense and is replaced. Values; the codec is free of state and may be used from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "parity/record.h"
#include "protocol/case_codec.h"
#include "stack/case.h"

namespace ordercheck {

inline constexpr int kProtocolVersion = 5;

struct Hello {
  std::string engine;                 // "native"
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::vector<std::string> devices;   // "cpu"
  std::string absent_device;          // why one that it was built for is not among them, or "": "no CUDA device: ..."
  std::vector<BuiltTransform> transforms;
  std::vector<std::string> models;
  bool own_code = false;            // it runs a user's own model or function, written package.module:name
  std::vector<std::string> faults;  // kinds it knows
  int max_ranks = 1;
  std::string content_hash;  // of the worker's program: journals are not resumed across builds
  friend bool operator==(const Hello&, const Hello&) = default;
};

// What of the tensors a record keeps: nothing, hashes of gradients and parameters, or values and the module trace.
// `graphs` keeps hashes and the graphs that were captured; `passes` also each of them as it was recorded and as it stood behind each pass,
// in that order.
ORDERCHECK_ENUM(Keep, none, hashes, values, graphs, passes)

// A fault asked for, to show that the supervisor and the worlds see it. Fires on one rank, at the first time that rank
// enters `module` in `phase` (kinds crash, hang, throw, slow, exit), or at its collective number `sequence` on any group
// (kinds skip_collective, wrong_shape). With nonsense the worker writes something that is not the protocol.
struct Fault {
  std::string kind;  // crash | hang | throw | slow | nonsense | exit | skip_collective | wrong_shape
  int rank = 0;
  std::string module;
  Phase phase = Phase::forward;
  std::int64_t sequence = 0;
  friend bool operator==(const Fault&, const Fault&) = default;
};

// On the line it also names the counters of a record and the phases in order: an engine keeps no list of either.
struct Run {
  std::int64_t id = 0;
  Case subject;
  Keep keep = Keep::hashes;
  std::optional<Fault> fault;
  std::string flight_file;      // path the worker maps; "" for none
  std::string values_folder;    // where values are written; needed with Keep::values
  bool coarse_factors = false;  // derivatives of functions of parameters are whole numbers, so that no product rounds
  friend bool operator==(const Run&, const Run&) = default;
};

struct Progress {
  std::int64_t id = 0;
  int step = 0;
  friend bool operator==(const Progress&, const Progress&) = default;
};

struct Answer {
  std::int64_t id = 0;
  Record record;
  friend bool operator==(const Answer&, const Answer&) = default;
};

using WorkerMessage = std::variant<Hello, Progress, Answer>;

// One line without its newline.
std::string encode(const Hello& message);
std::string encode(const Run& message);
std::string encode(const Progress& message);
std::string encode(const Answer& message);

// Errors say what was expected and what stood there, with at most 120 characters of the line.
Result<WorkerMessage> decode_worker(std::string_view line);
Result<Run> decode_run(std::string_view line);

// A record alone, as the journal and evidence keep it.
std::string encode_record(const Record& record);
Result<Record> decode_record(std::string_view text);

}  // namespace ordercheck
