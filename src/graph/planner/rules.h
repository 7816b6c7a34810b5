// Defines the constraints on a placement plan: user pins, bounds on parameter memory, and nodes that must be placed alike.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/joint_graph.h"

namespace ordercheck::placing {

// Requires a placement for a node's first result, or for the operand of an output node.
struct Pin {
  std::string name;
  int node = 0;
  Placements placements;
};

// Bounds the sum over parameters of the share that a rank holds (local over all elements); low and high apply per parameter. As
// upstream, it adds ratios, not bytes: a bias counts as much as an embedding. A parameter that cannot be cut far enough raises
// a bound accordingly. Pinned parameters count on neither side.
struct MemoryBound {
  std::optional<double> low, high;  // unset: no bound
};

struct PlacementRules {
  std::vector<Pin> pins;
  MemoryBound memory;
  std::set<int> replicated_on;  // mesh axes, by index, that shard no parameter: those of replicas
  // How much of the cost of redistributions that can be prefetched (prefetch.h) counts when comparing plans, 0 to 100. A plan's
  // stated cost includes all of it.
  int prefetched_percent = 100;
};

// Pairs of nodes that must have the same placement: parameter and its gradient, input and its gradient, output and its
// tangent.
std::vector<std::pair<int, int>> paired_nodes(const JointGraph& graph);

// An edge: a node and the index of its operand. edges_that_stay() returns the edges on which no redistribution is allowed. A
// parameter that is cast to fewer bytes is redistributed only after the cast, to gather fewer bytes. A gradient that is cast
// to more bytes is redistributed only after that cast, so that ranks sum in the wider dtype, or before an earlier cast that
// made it narrow.
using Edge = std::pair<int, int>;
std::set<Edge> edges_that_stay(const JointGraph& graph);

// The share of a tensor's elements that a rank holds, rounded to millionths, so that sums are exact.
std::int64_t held_share(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);
inline constexpr std::int64_t kWhole = 1'000'000;

// Whether the rules let a parameter have these placements, whatever the others have. Pins are not looked at.
bool may_hold(const PlacementRules& rules, const Placements& parameter);

// Converts the per-parameter bound to bounds on the sum over unpinned parameters. `least`: the smallest share of each that a
// strategy allows.
struct ShareBounds {
  std::int64_t low = 0, high = 0;
};
ShareBounds share_bounds(const MemoryBound& bound, const std::vector<std::int64_t>& least);

}  // namespace ordercheck::placing
