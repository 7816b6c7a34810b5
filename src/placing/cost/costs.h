// What it costs to run an operator on its local shapes, and to bring a value from one placement to another.
//
// Costs are whole nanoseconds, so that sums of them are exact and no rounding decides between two plans. Sources: the roofline with a
// launch floor and the order of redistributions of meta-pytorch/autoparallel's cost model; ring collectives by latency and bandwidth.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "placing/graph/joint_graph.h"
#include "placing/graph/placement.h"
#include "placing/strategies/strategy.h"

namespace ordercheck::placing {

// The machine that costs are stated for. Times are in microseconds, sizes in bytes; nothing here is measured.

// Between the ranks of one mesh axis.
struct Link {
  double bytes_per_us = 0;
  double latency_us = 0;  // of one message
};

struct Machine {
  std::string name = "";               // for people
  std::map<int, double> flops_per_us;  // by bytes of an element
  double memory_bytes_per_us = 0;
  double reachable = 0.7;   // of both peaks
  double launch_us = 7;     // no kernel takes less
  std::vector<Link> links;  // one a mesh axis
};

// Of the data sheet of one H100: 3.35 TB/s, 989 bf16 and 67 float64 TFLOP/s, and NVLink at 450 GB/s for every axis.
Machine h100(const DeviceMesh& mesh);

// A link for every axis, and nothing zero or negative but latencies and the launch, which may be 0.
Status check_machine(const Machine& machine, const DeviceMesh& mesh);

using Nanoseconds = std::int64_t;

// What cannot be done at all. Sums of a few of it do not overflow.
inline constexpr Nanoseconds kForbidden = std::int64_t{1} << 58;
inline Nanoseconds add_costs(Nanoseconds a, Nanoseconds b) { return a >= kForbidden || b >= kForbidden ? kForbidden : a + b; }

// On the axis, `bytes` of the whole result (all-gather), of the whole operand (all-reduce, reduce-scatter) or of what one rank holds
// (all-to-all). 0 on an axis of one rank.
enum class Collective { all_gather, reduce_scatter, all_reduce, all_to_all };
double collective_us(Collective kind, double bytes, int ranks, const Link& link);

// One step of a redistribution on one axis; the steps of one are made in order.
struct Move {
  int axis = 0;
  Placement from, to;
  friend bool operator==(const Move&, const Move&) = default;
};

// How a value goes from one placement to another: what is nested inside a shard that changes is gathered before it and split again
// behind it. Nothing leads to a partial sum but the same partial sum; then `possible` is false.
struct Route {
  bool possible = true;
  std::vector<Move> moves;
};
Route route(const Placements& from, const Placements& to);

// The one move of all axes of several ranks together, as on a mesh of one axis, where each of them changes alike and all ranks hold
// equally much: shards in the order of the mesh are gathered, and partial sums summed or scattered, by one collective. Nothing where
// only one axis changes, or these change each in its own way. Source: AutoParallel's fusion of redistributions onto a flattened mesh.
struct FlatMove {
  Placement from, to;
};
std::optional<FlatMove> flat_move(const Shape& shape, const Placements& from, const Placements& to, const DeviceMesh& mesh);

// kForbidden where no route is.
Nanoseconds move_cost(const JointValue& value, const Placements& from, const Placements& to, const DeviceMesh& mesh,
                      const Machine& machine);

// Of two plans that cost the same, the one with fewer redistributions: upstream's microsecond on each.
inline constexpr Nanoseconds kPreferredStay = 1000;

// The operator on the largest local shapes. Views, placeholders, outputs and aliases cost nothing. An error where the machine states
// no speed for the elements of a product.
Result<Nanoseconds> run_cost(const JointGraph& graph, int node, const Strategy& strategy, const DeviceMesh& mesh,
                             const Machine& machine);

// What one operator costs on one device, by the shapes that it is handed there.

// It shares its operand's memory, or is the graph's own.
bool is_free(const std::string& op);

// Multiplications and additions of the products in an operator; 0 for what only moves or maps elements.
double product_flops(const std::string& op, const std::vector<Shape>& operands);

// In microseconds: the longer of its traffic with memory, `bytes` read and written, and of its products; at least a launch. An error
// where the machine states no speed for products of elements of that size.
Result<double> kernel_us(const std::string& op, const std::vector<Shape>& operands, double bytes, int element_bytes,
                         const Machine& machine);

}  // namespace ordercheck::placing
