#include "graph/planner/same_placements.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/planner/prefetch.h"

namespace ordercheck::placing {
namespace {

bool is_same_but_for_sizes(const JointGraph& one, const JointGraph& other, int node) {
  const JointNode &a = one.nodes[node], &b = other.nodes[node];
  return a.op == b.op && a.operands == b.operands && a.results == b.results && a.backward == b.backward && a.role == b.role &&
         a.index == b.index && std::ranges::all_of(a.results, [&](int value) {
           return one.values[value].shape.size() == other.values[value].shape.size() &&
                  one.values[value].element_bytes == other.values[value].element_bytes;
         });
}

Status check_same(const JointGraph& planned, const JointGraph& other) {
  if (planned.nodes.size() != other.nodes.size())
    return Error{fmt::format("the plan is for a graph of {} nodes; traced with this batch size the graph has {} nodes",
                             planned.nodes.size(), other.nodes.size())};
  for (int node = 0; node < static_cast<int>(planned.nodes.size()); ++node) {
    if (!is_same_but_for_sizes(planned, other, node))
      return Error{fmt::format("node {} is {} in the planned graph; traced with this batch size it is {}", node,
                               name_of(planned, node), name_of(other, node))};
  }
  return Done{};
}

}  // namespace

Result<PlacementPlan> same_placements(const PlacementPlanner& planned, const PlacementPlan& plan,
                                      const PlacementPlanner& other) {
  const JointGraph& graph = other.graph();
  if (const Status same = check_same(planned.graph(), graph); !same) return same.error();
  PlacementPlan again{.nodes = plan.nodes, .replicated_operators = plan.replicated_operators};
  const std::set<Edge> prefetched = prefetched_edges(graph);
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    const NodePlan& placed = again.nodes[node];
    const Strategy chosen{.operands = placed.operands, .results = placed.results};
    if (std::ranges::find(other.strategies()[node].choices, chosen) == other.strategies()[node].choices.end())
      return Error{fmt::format("{} cannot run as planned with this batch size: {}", name_of(graph, node), name_of(chosen))};
    const auto run = run_cost(graph, node, chosen, other.mesh(), other.machine());
    if (!run) return run.error();
    again.run_cost += *run;
    again.objective += *run;
    for (std::size_t at = 0; at < placed.operands.size(); ++at) {
      const Nanoseconds move = move_cost(graph.values[graph.nodes[node].operands[at]], placed.sources[at], placed.operands[at],
                                         other.mesh(), other.machine());
      again.move_cost += move;
      again.objective +=
          prefetched.contains({node, static_cast<int>(at)}) ? discounted(move, other.rules().prefetched_percent) : move;
    }
  }
  if (const Status verified = verify_plan(graph, other.mesh(), other.machine(), other.rules(), again); !verified)
    return verified.error();
  return again;
}

}  // namespace ordercheck::placing
