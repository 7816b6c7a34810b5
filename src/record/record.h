// Defines a record: everything that one run of a case observed. Engines write it, verdicts derive from it.
//
// Numbers are stored as bits, not decimals. Tensors are *full*: gathered from all shards by their placements, so that records
// of two layouts are comparable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/enum.h"
#include "record/graph_record.h"

namespace ordercheck {

// Where in a step something happened. `recompute` is forward work inside backward. Flight files store a phase as its index
// here.
ORDERCHECK_ENUM(Phase, build, apply, forward, recompute, backward, optimizer, observe)

// How the run ended. All but `completed` come with a Failure. Digests contain the index, so add new endings at the end.
//   failed        a rank raised: an exception, or ranks disagree about a collective
//   deadlocked    no rank can proceed: the thread world detects this exactly, without a timeout
//   timed_out     the supervisor's timeout expired while a rank was still running
//   died          the worker process ended on its own: a fatal signal, an exit
//   garbled       the worker wrote invalid output
//   out_of_range  exact arithmetic left its range, so the numbers are void; one rank may stay within it
//   unsupported   the engine reports that it cannot build this case
//   killed        SIGKILL ended the worker. Programs do not raise it by mistake; it comes from the OOM killer or a person, so
//                 it says nothing about the stack
//   unstarted     no worker started, or its program is not the one that the run began with; says nothing either
ORDERCHECK_ENUM(Ending, completed, failed, deadlocked, timed_out, died, garbled, out_of_range, unsupported, killed, unstarted)

// Whether the run ended for a reason outside the stack (killed, unstarted), so that a rerun may succeed.
bool says_nothing(Ending ending);

// Where a failure happened, as far as known. Unknown: rank -1, text "".
struct Failure {
  Phase phase = Phase::build;
  int rank = -1;
  std::string module;     // path in the model, wrappers left out: "layers.0.attention"
  std::string operation;  // "all_gather", "aten::mm", "" if none was in flight
  std::string group;      // mesh axis of a collective
  std::int64_t sequence = -1;
  std::string message;             // one line, the first cause
  std::vector<std::string> ranks;  // one line per rank: where it was, by flight file or world
  friend bool operator==(const Failure&, const Failure&) = default;
};

struct StepRecord {
  std::vector<Bits64> loss;           // one per rank: the loss of the whole step
  std::vector<Bits64> gradient_norm;  // one per rank: total norm before clipping
  friend bool operator==(const StepRecord&, const StepRecord&) = default;
};

struct ParameterRecord {
  std::string name;                 // "layers.0.attention.wq.weight", wrappers left out
  std::vector<std::int64_t> shape;  // full
  std::vector<Hash128> gradient;    // one per step: hash of the full gradient's float64 bytes, before clipping
  Hash128 value;                    // after the last step
  bool changed = false;             // differs from its initial value in at least one bit
  bool frozen = false;              // not trained in the model as built
  bool has_gradient = true;         // nonzero in at least one step
  bool replicas_agree = true;       // all replicas have equal bits, value and gradient
  friend bool operator==(const ParameterRecord&, const ParameterRecord&) = default;
};

// A buffer after the last step, persistent or not.
struct BufferRecord {
  std::string name;
  std::vector<std::int64_t> shape;  // as built
  Hash128 value;
  bool local = false;          // rank-local by the code of the case: not compared
  bool replicas_agree = true;  // every rank that holds it has equal bits
  friend bool operator==(const BufferRecord&, const BufferRecord&) = default;
};

// A module's output (or output gradient) over all samples of a step, in execution order. Kept on request.
struct TraceEntry {
  int step = 0;
  Phase phase = Phase::forward;  // forward, backward
  std::string module;
  std::vector<std::int64_t> shape;
  Hash128 hash;
  std::string file;  // raw little-endian float64, if values were requested
  friend bool operator==(const TraceEntry&, const TraceEntry&) = default;
};

// Collectives of one rank (see Record) over the whole run, added up by kind, group and phase.
struct CollectiveCount {
  std::string kind;   // all_gather, reduce_scatter, all_reduce, broadcast, all_to_all, send, recv
  std::string group;  // mesh axis: tp, dp_shard, ...; "dp_shard+cp"; "world"
  Phase phase = Phase::forward;
  std::int64_t count = 0;
  std::int64_t bytes = 0;  // of the inputs on this rank
  friend auto operator<=>(const CollectiveCount&, const CollectiveCount&) = default;
};

// Measurements of one rank (see Record). Peaks and graph counts cover the whole run, the others the last step. -1: not
// measured (counters.h).
struct Counters {
  std::int64_t operators_recomputed = 0;     // ATen operators of the forward that backward reran
  std::int64_t operators_kept = 0;           // results that a policy kept for the recomputation
  std::int64_t matmul_flops = 0;             // 2*m*n*k summed over mm and bmm, forward, recompute and backward
  std::int64_t matmul_flops_recomputed = 0;  // part of matmul_flops that recomputation ran
  std::int64_t saved_bytes_peak = 0;         // distinct storages saved for backward, without parameters
  std::int64_t parameter_bytes_peak = 0;     // parameter storage: shards and gathered copies
  std::int64_t graph_captures = 0;           // graphs captured
  std::int64_t graph_breaks = 0;             // captures abandoned
  std::int64_t products_in_scope = 0;        // matrix products of compiled modules, in all phases
  std::int64_t products_in_graphs = 0;       // part of products_in_scope that captured graphs ran
  std::int64_t p2p_messages = 0;
  // Computed by a cost model, not measured: every captured graph run once on an H100 (graph/timeline.h). Not in digests.
  std::int64_t graph_step_ns = 0;          // forward and backward
  std::int64_t graph_exposed_ns = 0;       // part of graph_step_ns in which compute waits for a collective
  std::int64_t graph_held_bytes_peak = 0;  // peak bytes of values that the graphs made, with gathered parameters
  std::int64_t graph_buckets = 0;          // collectives that carry a bucket name
  friend auto operator<=>(const Counters&, const Counters&) = default;
};

// All observations of one run. Collectives, counters, notes and graphs are those of the first rank that has a transformer
// block: rank 0, unless the first pipeline stage has only the embedding.
struct Record {
  std::string case_text;
  std::string engine;
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::string device;                 // "cpu"
  Ending ending = Ending::completed;
  std::optional<Failure> failure;
  int world_size = 1;
  std::vector<StepRecord> steps;
  std::vector<ParameterRecord> parameters;   // in the order of the model definition
  std::vector<BufferRecord> buffers;         // in the order of the model definition
  std::vector<CollectiveCount> collectives;  // sorted
  Counters counters;
  bool parity_owed = true;         // whether the run must equal one rank bitwise; false if the stack casts before a reduction
  double range_used = 0;           // largest bound on a sum over the limit of exact arithmetic; below 1
  std::vector<std::string> notes;  // warnings of transforms: "tp: plan entry ... matched nothing"
  std::vector<TraceEntry> trace;
  std::vector<GraphRecord> graphs;  // in capture order; kept on request
  std::vector<PlanRecord> plans;    // placement plans; kept with graphs
  friend bool operator==(const Record&, const Record&) = default;
};

// Hash of all observations of the run, without host and time. Two runs of a deterministic case have equal digests.
Hash128 digest(const Record& record);

// The version number that rules compare with: "2.11.0" of {"libtorch 2.11.0", ...}; "" if unknown.
std::string version_of(const std::vector<std::string>& versions);

}  // namespace ordercheck
