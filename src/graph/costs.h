// Estimates the cost of running an operator on local shapes, and of redistributing a value.
//
// Costs are whole nanoseconds: sums are exact, so rounding never decides between two plans. Sources: the roofline with a launch
// floor and the redistribution order of meta-pytorch/autoparallel's cost model; ring collectives by latency and bandwidth.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/joint_graph.h"
#include "graph/placement.h"
#include "graph/strategy.h"

namespace ordercheck::placing {

// The interconnect between the ranks of one mesh axis. Data sheet numbers, not measured, as in Machine.
struct Link {
  double bytes_per_us = 0;
  double latency_us = 0;  // per message
};

struct Machine {
  std::string name = "";               // for people
  std::map<int, double> flops_per_us;  // by bytes per element
  double memory_bytes_per_us = 0;
  double reachable = 0.7;   // fraction of both peaks
  double launch_us = 7;     // least time of a kernel
  std::vector<Link> links;  // one per mesh axis
};

// A machine of H100s by data sheet: 3.35 TB/s, 989 bf16 and 67 float64 TFLOP/s, NVLink at 450 GB/s for every axis.
Machine h100(const DeviceMesh& mesh);

// An H100 slowed down to the built-in model (stack/model_sizes.h): its products, copies and collectives take about as long against
// each other, and against a launch, as those of an 8B model on an H100. On an H100 itself each of its kernels takes as long as a
// launch, so that splitting work would never pay.
Machine for_built_in_models(const DeviceMesh& mesh);

// Checks that every axis has a link and that all numbers are positive; latencies and launch may be 0.
Status check_machine(const Machine& machine, const DeviceMesh& mesh);

using Nanoseconds = std::int64_t;

// The cost of an impossible move or choice. Sums of a few do not overflow.
inline constexpr Nanoseconds kForbidden = std::int64_t{1} << 58;
inline Nanoseconds add_costs(Nanoseconds a, Nanoseconds b) { return a >= kForbidden || b >= kForbidden ? kForbidden : a + b; }

// Time of a collective on an axis; 0 for one rank. `bytes` is the size of the whole result (all-gather), the whole operand
// (all-reduce, reduce-scatter), or one rank's share (all-to-all).
enum class Collective { all_gather, reduce_scatter, all_reduce, all_to_all };
double collective_us(Collective kind, double bytes, int ranks, const Link& link);

// One step of a redistribution: it changes the placement on one mesh axis.
struct Move {
  int axis = 0;
  Placement from, to;
  friend bool operator==(const Move&, const Move&) = default;
};

// The steps that redistribute a tensor between two placements, in order. If the shard of an outer axis changes, an inner axis
// that shards the same dim is gathered first and split again afterwards. Nothing but a partial sum can become a partial sum;
// then `possible` is false.
struct Route {
  bool possible = true;
  std::vector<Move> moves;
};
Route route(const Placements& from, const Placements& to);

// One collective over all axes with several ranks, as on a flattened mesh. Requires that all of them change alike and that
// ranks hold equally much. Gathers shards in mesh order, sums or scatters partial sums. Returns nullopt if only one axis
// changes, or if axes change differently. Source: AutoParallel's fusion of redistributions onto a flattened mesh.
struct FlatMove {
  Placement from, to;
};
std::optional<FlatMove> flat_move(const Shape& shape, const Placements& from, const Placements& to, const DeviceMesh& mesh);

// The cost of redistributing a value; kForbidden if there is no route.
Nanoseconds move_cost(const JointValue& value, const Placements& from, const Placements& to, const DeviceMesh& mesh,
                      const Machine& machine);

// A surcharge per redistribution, AutoParallel's microsecond: of plans with equal cost, the one with fewer redistributions
// wins.
inline constexpr Nanoseconds kPreferredStay = 1000;

// The cost of running a node by a strategy, on the rank with the largest shards. Views, placeholders, outputs and aliases are
// free. An error if the machine has no flops_per_us for a product's element size.
Result<Nanoseconds> run_cost(const JointGraph& graph, int node, const Strategy& strategy, const DeviceMesh& mesh,
                             const Machine& machine);

// Whether the operator costs nothing: it is a view, or a placeholder, output or alias node.
bool is_free(const std::string& op);

// Multiplications and additions of an operator's products; 0 for data movement and elementwise operators.
double product_flops(const std::string& op, const std::vector<Shape>& operands);

// The time of one kernel in microseconds: the longer of memory traffic (`bytes` read and written) and matrix products, at
// least launch_us. An error if the machine has no flops_per_us for this element size.
Result<double> kernel_us(const std::string& op, const std::vector<Shape>& operands, double bytes, int element_bytes,
                         const Machine& machine);

}  // namespace ordercheck::placing
