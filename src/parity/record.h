// A record: everything one run of a case observed. What engines write, what verdicts are made of.
//
// Numbers are bits, never decimals. Tensors are always the *full* ones: gathered from every rank's shard by the
// placements that its parameter carries, so that records of two layouts can be laid side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/enum.h"
#include "parity/graph_record.h"

namespace ordercheck {

// Where in a step something happened. `recompute` is forward work done inside backward. The flight file stores a phase as its
// place here.
ORDERCHECK_ENUM(Phase, build, apply, forward, recompute, backward, optimizer, observe)

// How the run ended. All but `completed` come with a Failure.
//   failed        a rank raised: an exception, or a collective whose ranks disagree
//   deadlocked    no rank could go on: seen exactly by the thread world, no clock involved
//   timed_out     the supervisor's clock ran out with at least one rank still going
//   died          the worker process ended by itself: a fatal signal, an exit
//   garbled       the worker wrote something that is not the protocol
//   out_of_range  exact arithmetic left its guarded range: the numbers say nothing; that one rank stays within it may
//   unsupported   the engine says that it cannot build this case
//   killed        the worker process ended by SIGKILL, which a program does not raise by mistake: the out-of-memory killer sends
//                 it, or a person. It says nothing of the stack
//   unstarted     no worker could be started for it, or another program than the one that the run began with. Nothing either
// A digest holds an ending as its place: a new one goes last.
ORDERCHECK_ENUM(Ending, completed, failed, deadlocked, timed_out, died, garbled, out_of_range, unsupported, killed, unstarted)

// Of a run that ended so nothing follows for its stack; another time it may go well.
bool says_nothing(Ending ending);

// The place of a failure, as far as it is known. Unknown rank: -1; unknown text: "".
struct Failure {
  Phase phase = Phase::build;
  int rank = -1;
  std::string module;     // path in the model, wrappers left out: "layers.0.attention"
  std::string operation;  // "all_gather", "aten::mm", "" when none was in flight
  std::string group;      // mesh axis of a collective
  std::int64_t sequence = -1;
  std::string message;             // one line, first cause
  std::vector<std::string> ranks;  // one line a rank: where it was, from the flight file or the world
  friend bool operator==(const Failure&, const Failure&) = default;
};

struct StepRecord {
  std::vector<Bits64> loss;           // one a rank: the loss of the whole step, as that rank knows it
  std::vector<Bits64> gradient_norm;  // one a rank: total norm before clipping
  friend bool operator==(const StepRecord&, const StepRecord&) = default;
};

struct ParameterRecord {
  std::string name;                 // "layers.0.attention.wq.weight", wrappers left out
  std::vector<std::int64_t> shape;  // full
  std::vector<Hash128> gradient;    // one a step, of the full gradient's float64 bytes, before clipping
  Hash128 value;                    // after the last step
  bool changed = false;             // differs from its initial value in at least one bit
  bool frozen = false;              // the model as built does not train it
  bool has_gradient = true;         // other than zero, in at least one step
  bool replicas_agree = true;       // every rank that should hold the same bits does, value and gradient
  friend bool operator==(const ParameterRecord&, const ParameterRecord&) = default;
};

// A buffer after the last step, persistent or not.
struct BufferRecord {
  std::string name;
  std::vector<std::int64_t> shape;  // as built
  Hash128 value;
  bool local = false;          // meant to be of its rank, as the case's code says: compared with nothing
  bool replicas_agree = true;  // every rank that holds it has the same bits
  friend bool operator==(const BufferRecord&, const BufferRecord&) = default;
};

// One module's output (or output's gradient) over all samples of a step, in execution order. Only kept on request.
struct TraceEntry {
  int step = 0;
  Phase phase = Phase::forward;  // forward, backward
  std::string module;
  std::vector<std::int64_t> shape;
  Hash128 hash;
  std::string file;  // raw little-endian float64, when values were asked for
  friend bool operator==(const TraceEntry&, const TraceEntry&) = default;
};

// Collectives of one rank (see Record) over the whole run, summed by kind, group and phase.
struct CollectiveCount {
  std::string kind;   // all_gather, reduce_scatter, all_reduce, broadcast, all_to_all, send, recv
  std::string group;  // mesh axis: tp, dp_shard, ...; "dp_shard+cp"; "world"
  Phase phase = Phase::forward;
  std::int64_t count = 0;
  std::int64_t bytes = 0;  // of the input handed in by this rank
  friend auto operator<=>(const CollectiveCount&, const CollectiveCount&) = default;
};

// Of rank 0. Peaks and graphs are over the whole run; the rest is of the last step. -1: not measured (counters.h).
struct Counters {
  std::int64_t operators_recomputed = 0;     // ATen operators run by the forward inside backward
  std::int64_t operators_kept = 0;           // results that a recomputation was handed, as a policy says, not run again
  std::int64_t matmul_flops = 0;             // 2*m*n*k summed over mm and bmm, forward, recompute and backward
  std::int64_t matmul_flops_recomputed = 0;  // of these, what a recomputation ran
  std::int64_t saved_bytes_peak = 0;         // distinct storages held for backward, parameters left out
  std::int64_t parameter_bytes_peak = 0;     // parameter storage held, shards and gathered copies
  std::int64_t graph_captures = 0;           // graphs captured
  std::int64_t graph_breaks = 0;             // captures given up
  std::int64_t products_in_scope = 0;        // matrix products of what was handed to compile, in all phases
  std::int64_t products_in_graphs = 0;       // of these, what captured graphs ran
  std::int64_t p2p_messages = 0;
  // Worked out of the graphs that were captured, each run once, on a stated machine (captured/timeline.h): no measurement, and no part of
  // a digest.
  std::int64_t graph_step_ns = 0;          // forward and backward
  std::int64_t graph_exposed_ns = 0;       // of these, compute waited for a collective
  std::int64_t graph_held_bytes_peak = 0;  // made by the graphs, gathered parameters among them, and not given up
  std::int64_t graph_buckets = 0;          // collectives sent under the name of a bucket
  friend auto operator<=>(const Counters&, const Counters&) = default;
};

// Collectives, counters, notes and graphs are those of one rank: the first that has a block of the model. That is rank 0, but in a
// pipeline whose first stage has the embedding alone.
struct Record {
  std::string case_text;
  std::string engine;
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::string device;                 // "cpu"
  Ending ending = Ending::completed;
  std::optional<Failure> failure;
  int world_size = 1;
  std::vector<StepRecord> steps;
  std::vector<ParameterRecord> parameters;   // in the order of the model's definition
  std::vector<BufferRecord> buffers;         // in the order of the model's definition
  std::vector<CollectiveCount> collectives;  // sorted
  Counters counters;
  bool parity_owed = true;         // false where a stack casts before a reduction
  double range_used = 0;           // largest bound on a sum over what exact arithmetic allows; below 1
  std::vector<std::string> notes;  // warnings the transforms raised: "tp: plan entry ... matched nothing"
  std::vector<TraceEntry> trace;
  std::vector<GraphRecord> graphs;  // in the order captured; only kept on request
  std::vector<PlanRecord> plans;    // that models were placed by; kept with graphs
  friend bool operator==(const Record&, const Record&) = default;
};

// Hash of all that was observed, host and time left out: two runs of one case must have the same digest.
Hash128 digest(const Record& record);

// The version that rules speak about: "2.11.0" of {"libtorch 2.11.0", ...}; "" when none was told.
std::string version_of(const std::vector<std::string>& versions);

}  // namespace ordercheck
