#include "graph/planner/rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ordercheck::placing {
namespace {

bool is_cast(const JointNode& node) {
  return node.op == "aten::_to_copy" && node.operands.size() == 1 && node.results.size() == 1;
}

bool is_narrowing(const JointGraph& graph, const JointNode& node) {
  return is_cast(node) && graph.values[node.results[0]].element_bytes < graph.values[node.operands[0]].element_bytes;
}

// The edges up the chain of single-operand nodes above this one, while each has one user, up to a cast to fewer bytes: before
// that one, values are in the wider dtype. Sets `top` to the chain's first node.
std::vector<Edge> chain_above(const JointGraph& graph, const std::vector<int>& made_by,
                              const std::vector<std::vector<int>>& taken_by, int node, int& top) {
  std::vector<Edge> edges;
  top = node;
  while (graph.nodes[top].operands.size() == 1) {
    if (top != node && is_narrowing(graph, graph.nodes[top])) break;
    const int producer = made_by[graph.nodes[top].operands[0]];
    if (taken_by[producer].size() != 1) break;
    edges.emplace_back(top, 0);
    top = producer;
  }
  return edges;
}

bool is_gradient(const JointNode& node) {
  return node.role == Role::gradient_of_parameter || node.role == Role::gradient_of_input;
}

// Whether a chain of nodes with one operand and one user leads from here to a gradient.
bool leads_to_gradient(const JointGraph& graph, const std::vector<std::vector<int>>& taken_by, int node) {
  while (taken_by[node].size() == 1) {
    node = taken_by[node][0];
    if (is_gradient(graph.nodes[node])) return true;
    if (graph.nodes[node].operands.size() != 1) return false;
  }
  return false;
}

}  // namespace

std::vector<std::pair<int, int>> paired_nodes(const JointGraph& graph) {
  std::vector<std::pair<int, int>> pairs;
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    const JointNode& one = graph.nodes[node];
    const Role other = one.role == Role::parameter ? Role::gradient_of_parameter
                       : one.role == Role::input   ? Role::gradient_of_input
                       : one.role == Role::output  ? Role::tangent
                                                   : Role::none;
    if (other == Role::none) continue;
    if (const int partner = find_node(graph, other, one.index); partner >= 0) pairs.emplace_back(node, partner);
  }
  return pairs;
}

std::set<Edge> edges_that_stay(const JointGraph& graph) {
  const std::vector<int> made_by = producers(graph);
  const std::vector<std::vector<int>> taken_by = users(graph);
  std::set<Edge> staying;
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    if (!is_cast(graph.nodes[node])) continue;
    const int before = graph.values[graph.nodes[node].operands[0]].element_bytes;
    const int after = graph.values[graph.nodes[node].results[0]].element_bytes;
    int top = node;
    const std::vector<Edge> chain = chain_above(graph, made_by, taken_by, node, top);
    const bool narrows_parameter = after < before && graph.nodes[top].role == Role::parameter;
    const bool widens_gradient = after > before && leads_to_gradient(graph, taken_by, node);
    if (narrows_parameter || widens_gradient) staying.insert(chain.begin(), chain.end());
  }
  return staying;
}

std::int64_t held_share(const Shape& shape, const Placements& placements, const DeviceMesh& mesh) {
  const auto local = static_cast<double>(element_count(local_shape(shape, placements, mesh)));
  return std::llround(local / static_cast<double>(element_count(shape)) * static_cast<double>(kWhole));
}

bool may_hold(const PlacementRules& rules, const Placements& parameter) {
  return std::ranges::all_of(rules.replicated_on, [&](int axis) { return parameter[axis] == replicate(); });
}

ShareBounds share_bounds(const MemoryBound& bound, const std::vector<std::int64_t>& least) {
  // Far above the share of any parameter.
  constexpr std::int64_t kUnbounded = kWhole * 1000;
  ShareBounds sums;
  for (const std::int64_t best : least) {
    if (bound.low) sums.low += std::max<std::int64_t>(best, std::llround(*bound.low * static_cast<double>(kWhole)));
    sums.high +=
        bound.high ? std::max<std::int64_t>(best, std::llround(*bound.high * static_cast<double>(kWhole))) : kUnbounded;
  }
  return sums;
}

}  // namespace ordercheck::placing
