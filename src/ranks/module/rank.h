// What a rank knows of itself while it runs a case: coordinates, phase, where in the model it is, and the meters that end
// up in its record.
//
// Thread rules: one RankState a rank, touched only by the thread that runs the rank. On CPU LibTorch runs backward on the
// thread that called it, so this_rank() holds in autograd functions too, re-entrant backward up to LibTorch's depth
// limit of 60 included. Nothing here names a transform or a rule.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"
#include "ranks/module/compiled_scope.h"
#include "ranks/module/placement.h"
#include "ranks/module/random_state.h"
#include "ranks/module/storage_meter.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

class Module;
struct Parameter;

class RankState {
 public:
  RankState(int rank, Mesh mesh, FlightRecorder* flight, std::optional<Fault> fault, at::Device device = at::kCPU);

  const int rank;
  const Mesh mesh;
  const at::Device device;  // of its parameters and activations

  // Recompute while a recomputation runs, backward while the autograd engine runs, else what the step last set.
  Phase phase() const;
  void set_phase(int step, Phase phase);  // also tells the flight file
  int step() const { return step_; }

  // Forward work done again inside backward; nests.
  void enter_recompute() { ++recompute_depth_; }
  void leave_recompute() { --recompute_depth_; }

  // A run whose results nobody uses, as when a computation is recorded: nothing of it is counted or traced. Nests.
  void begin_dry_run() { ++dry_run_depth_; }
  void end_dry_run() { --dry_run_depth_; }
  bool in_dry_run() const { return dry_run_depth_ > 0; }

  // The module whose call is running, wrappers left out; outside any call, "".
  void enter_module(const std::string& path);  // fires a fault that is due here: throws, hangs, aborts
  void leave_module();
  const std::string& module() const;

  // Where the exception that is on its way out was thrown: the innermost module call that it left. Whoever stops an
  // exception forgets it.
  void note_thrown();
  void forget_thrown() { thrown_.reset(); }
  struct Thrown {
    Phase phase;
    std::string module;
  };
  const std::optional<Thrown>& thrown() const { return thrown_; }

  // One collective of this rank, by its input's bytes. Called by the world.
  void count_collective(const std::string& kind, const std::string& group, std::int64_t bytes);
  std::int64_t collectives_issued() const { return collectives_issued_; }
  std::vector<CollectiveCount> collectives() const;

  FlightRecorder* flight() const { return flight_; }
  const std::optional<Fault>& fault() const { return fault_; }

  StorageMeter parameters_held;     // shards, whole parameters, gathered copies
  StorageMeter saved_for_backward;  // parameters left out
  CompiledWork compiled;
  RandomState random;
  Counters counters;  // all but the two peaks, which come from the meters
  // Called with every module's output in the order of execution, recomputation and wrappers left out; may be empty.
  std::function<void(const Module& module, const at::Tensor& output)> on_output;
  // Called with what an optimizer steps by within backward, before it drops it; may be empty.
  std::function<void(const Parameter& parameter, const at::Tensor& gradient)> on_step_in_backward;
  // Called with every graph that was captured, as it is run; and with it as it was recorded, then behind each pass. May be empty.
  std::function<void(const GraphRecord& graph)> on_capture, on_pass;
  // Called with every plan by which a model was placed; may be empty.
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

// The rank that this thread runs; asserts that there is one.
RankState& this_rank();
// The same, or null outside a rank (a unit test of an operator, the worker's main thread).
RankState* find_rank();
// The device of this thread's rank; the CPU outside a rank.
at::Device device_now();

// Makes `state` the calling thread's rank for its lifetime.
class RankScope {
 public:
  explicit RankScope(RankState& state);
  ~RankScope();
  RankScope(const RankScope&) = delete;
};

}  // namespace ordercheck::ranks
