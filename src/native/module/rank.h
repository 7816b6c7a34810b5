// Keeps a rank's state while it runs a case: coordinates, phase, current module, and the meters for its record.
//
// Thread rules: one RankState per rank, used only by the rank's thread. On CPU, LibTorch runs backward on the calling thread,
// so this_rank() works in autograd functions too. That includes re-entrant backward up to LibTorch's depth limit of 60. No code
// here names a transform or a rule.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "native/module/compiled_scope.h"
#include "native/module/placement.h"
#include "native/module/random_state.h"
#include "native/module/storage_meter.h"
#include "record/flight.h"
#include "record/messages.h"
#include "record/record.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

class Module;
struct Parameter;

class RankState {
 public:
  RankState(int rank, Mesh mesh, FlightRecorder* flight, std::optional<Fault> fault, at::Device device = at::kCPU);

  const int rank;
  const Mesh mesh;
  const at::Device device;  // device of parameters and activations

  // Returns recompute during a recomputation, backward while the autograd engine runs, else the phase last set.
  Phase phase() const;
  void set_phase(int step, Phase phase);  // also writes step and phase to the flight recorder file
  int step() const { return step_; }

  // Mark forward work that backward repeats (activation checkpointing). Calls nest.
  void enter_recompute() { ++recompute_depth_; }
  void leave_recompute() { --recompute_depth_; }

  // Mark a run whose results are not used, as when a graph is recorded. The rank then counts and traces nothing. Calls nest.
  void begin_dry_run() { ++dry_run_depth_; }
  void end_dry_run() { --dry_run_depth_; }
  bool in_dry_run() const { return dry_run_depth_ > 0; }

  // The path of the module whose call runs, without wrappers; "" outside any call.
  void enter_module(const std::string& path);  // if the case injects a fault in this module: throws, hangs or aborts
  void leave_module();
  const std::string& module() const;

  // Where the exception that is being propagated was thrown: the innermost module call that it left. Code that catches it and
  // goes on must call forget_thrown().
  void note_thrown();
  void forget_thrown() { thrown_.reset(); }
  struct Thrown {
    Phase phase;
    std::string module;
  };
  const std::optional<Thrown>& thrown() const { return thrown_; }

  // Counts one collective of this rank: `bytes` of its inputs. The backends call it.
  void count_collective(const std::string& kind, const std::string& group, std::int64_t bytes);
  std::int64_t collectives_issued() const { return collectives_issued_; }
  std::vector<CollectiveCount> collectives() const;

  FlightRecorder* flight() const { return flight_; }
  const std::optional<Fault>& fault() const { return fault_; }

  StorageMeter parameters_held;     // memory of parameters: shards, full parameters, gathered copies
  StorageMeter saved_for_backward;  // memory of tensors that autograd saves, except parameters
  CompiledWork compiled;
  RandomState random;
  Counters counters;  // for the record; the meters above add their two peaks
  // Called with the output of every module call, except wrappers and recomputed forwards. May be empty.
  std::function<void(const Module& module, const at::Tensor& output)> on_output;
  // Called with a gradient before an in-backward optimizer frees it. May be empty.
  std::function<void(const Parameter& parameter, const at::Tensor& gradient)> on_step_in_backward;
  // Called with every captured graph: on_pass as recorded and after each graph pass, on_capture once with its final form. May
  // be empty.
  std::function<void(const GraphRecord& graph)> on_capture, on_pass;
  // Called with every plan by which auto_parallel placed a model. May be empty.
  std::function<void(const PlanRecord& plan)> on_plan;
  std::vector<std::string> notes;  // warnings of transforms, in order

 private:
  FlightRecorder* flight_;
  std::optional<Fault> fault_;
  Phase phase_ = Phase::build;
  int step_ = 0;
  int recompute_depth_ = 0;
  int dry_run_depth_ = 0;
  std::vector<std::string> modules_;
  std::optional<Thrown> thrown_;
  std::int64_t collectives_issued_ = 0;
  std::map<std::tuple<std::string, std::string, Phase>, std::pair<std::int64_t, std::int64_t>> collectives_;
};

// Returns this thread's rank; asserts that there is one.
RankState& this_rank();
// The same, but null outside a rank (a unit test of an operator, the worker's main thread).
RankState* find_rank();
// Returns the device of this thread's rank; the CPU outside a rank.
at::Device device_now();

// Makes `state` the calling thread's rank during its lifetime.
class RankScope {
 public:
  explicit RankScope(RankState& state);
  ~RankScope();
  RankScope(const RankScope&) = delete;
};

}  // namespace ordercheck::ranks
