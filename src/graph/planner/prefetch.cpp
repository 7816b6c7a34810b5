#include "graph/planner/prefetch.h"

#include <algorithm>

namespace ordercheck::placing {
namespace {

std::vector<bool> made_of_parameters(const JointGraph& graph, const std::vector<int>& made_by) {
  std::vector<bool> made(graph.nodes.size());
  // Nodes are in execution order, so one pass is enough.
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const JointNode& node = graph.nodes[at];
    made[at] = node.role == Role::parameter ||
               (!node.operands.empty() && std::ranges::all_of(node.operands, [&](int value) { return made[made_by[value]]; }));
  }
  return made;
}

std::vector<bool> ending_in_gradients(const JointGraph& graph) {
  const std::vector<std::vector<int>> taken_by = users(graph);
  std::vector<bool> ends(graph.nodes.size());
  // In reverse, because users come after their producers.
  for (std::size_t at = graph.nodes.size(); at-- > 0;) {
    const Role role = graph.nodes[at].role;
    const bool is_gradient = role == Role::gradient_of_parameter || role == Role::gradient_of_input;
    ends[at] =
        is_gradient || (!taken_by[at].empty() && std::ranges::all_of(taken_by[at], [&](int user) { return ends[user]; }));
  }
  return ends;
}

}  // namespace

std::set<Edge> prefetched_edges(const JointGraph& graph) {
  const std::vector<int> made_by = producers(graph);
  const std::vector<bool> made = made_of_parameters(graph, made_by), ends = ending_in_gradients(graph);
  std::set<Edge> edges;
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    const std::vector<int>& operands = graph.nodes[node].operands;
    for (std::size_t at = 0; at < operands.size(); ++at) {
      if (made[made_by[operands[at]]] || ends[node]) edges.emplace(node, static_cast<int>(at));
    }
  }
  return edges;
}

Nanoseconds discounted(Nanoseconds move, int percent) {
  // Free and forbidden moves have no surcharge to keep.
  if (move >= kForbidden || move < kPreferredStay) return move;
  return (move - kPreferredStay) * percent / 100 + kPreferredStay;
}

}  // namespace ordercheck::placing
