// Defines the messages between supervisor and worker: one JSON object per line, over the worker's stdin and stdout.
//
//   worker      hello                       once, at start
//   supervisor  run                         one case; the worker is busy until it answers with `record`
//   worker      progress ... record
//   supervisor  (closes stdin)              the worker ends
//
// Both sides check every message against schema/*.json. A worker that writes anything else is replaced. Plain values; the codec
// is stateless and thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "record/case_codec.h"
#include "record/record.h"
#include "stack/case.h"

namespace ordercheck {

inline constexpr int kProtocolVersion = 5;

struct Hello {
  std::string engine;                 // "native"
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::vector<std::string> devices;   // "cpu"
  std::string absent_device;          // why a device that the worker supports is missing: "no CUDA device: ..."; or ""
  std::vector<BuiltTransform> transforms;
  std::vector<std::string> models;
  bool own_code = false;            // the worker can run a user's model and functions, "package.module:name"
  std::vector<std::string> faults;  // kinds of Fault that the worker can inject
  int max_ranks = 1;
  std::string content_hash;  // hash of the worker's program, so that a journal is not resumed with another build
  friend bool operator==(const Hello&, const Hello&) = default;
};

// What a record keeps of tensors: nothing, hashes of gradients and parameters, or values and the module trace. `graphs` keeps
// hashes and captured graphs; `passes` also keeps each graph as recorded and after each pass, in order.
ORDERCHECK_ENUM(Keep, none, hashes, values, graphs, passes)

// A fault that the worker injects into a run, to test that ordercheck detects it. Kinds crash, hang, throw, slow and exit fire
// once, when the rank first enters `module` in `phase`. Kinds skip_collective and wrong_shape fire at the rank's collective
// number `sequence`, over all groups. `nonsense` makes the worker write invalid output.
struct Fault {
  std::string kind;  // crash | hang | throw | slow | nonsense | exit | skip_collective | wrong_shape
  int rank = 0;
  std::string module;
  Phase phase = Phase::forward;
  std::int64_t sequence = 0;
  friend bool operator==(const Fault&, const Fault&) = default;
};

// The message that starts a run. Its encoded line also lists the counter names and phases, so that engines need no lists of
// their own.
struct Run {
  std::int64_t id = 0;
  Case subject;
  Keep keep = Keep::hashes;
  std::optional<Fault> fault;
  std::string flight_file;      // path of the flight file (flight.h) that the worker writes; "" if none
  std::string values_folder;    // folder where the worker writes tensors; required with Keep::values
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

// Encodes one line without a newline.
std::string encode(const Hello& message);
std::string encode(const Run& message);
std::string encode(const Progress& message);
std::string encode(const Answer& message);

// Errors say what was expected and quote at most 120 characters of the line.
Result<WorkerMessage> decode_worker(std::string_view line);
Result<Run> decode_run(std::string_view line);

// A record alone, as journal and evidence store it.
std::string encode_record(const Record& record);
Result<Record> decode_record(std::string_view text);

}  // namespace ordercheck
