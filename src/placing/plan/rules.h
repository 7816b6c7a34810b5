// What a plan must keep beside the graph itself: placements that the user states, the memory of parameters, and pairs that belong
// together.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "placing/graph/joint_graph.h"

namespace ordercheck::placing {

// The place of a node's value: of its first result, or of the operand of an output.
struct Pin {
  std::string name;
  int node = 0;
  Placements placements;
};

// low <= the share of a parameter that a rank holds, local elements over all elements, summed over parameters <= high, where both
// stand for each parameter. As upstream has it, the sum is one of ratios and not of bytes: a bias counts as much as an embedding. A
// parameter that cannot be cut as far as a bound asks raises it by what it can; one that is pinned counts on neither side.
struct MemoryBound {
  std::optional<double> low, high;  // without one, that side is not bounded
};

struct PlacementRules {
  std::vector<Pin> pins;
  MemoryBound memory;
  // How much of a redistribution counts that can be made ahead (prefetch.h) where plans are compared, 0 to 100. What a plan costs says
  // all of it.
  int prefetched_percent = 100;
};

// Parameter and gradient, input and gradient, output and tangent: placed alike, for the caller hands one in where the other comes out.
std::vector<std::pair<int, int>> paired_nodes(const JointGraph& graph);

// A node and the place of its operand. Where a parameter is cast to fewer bytes, it moves behind the cast only: fewer bytes are
// gathered. Where a gradient is cast to more, it moves behind that cast only: sums over ranks have the wider type.
using Edge = std::pair<int, int>;
std::set<Edge> edges_that_stay(const JointGraph& graph);

// In parts of a million, so that sums are exact: local elements over all, rounded.
std::int64_t held_share(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);
inline constexpr std::int64_t kWhole = 1'000'000;

// The bounds on the sum over the parameters that no pin names; `least` is the smallest share of each that a strategy has.
struct ShareBounds {
  std::int64_t low = 0, high = 0;
};
ShareBounds share_bounds(const MemoryBound& bound, const std::vector<std::int64_t>& least);

}  // namespace ordercheck::placing
