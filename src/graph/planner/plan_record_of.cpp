#include "graph/planner/plan_record_of.h"

#include <algorithm>

namespace ordercheck::placing {
namespace {

// The cost of the strategy with the planned placements.
Nanoseconds run_cost_of(const PlacementPlanner& planner, int node, const NodePlan& plan) {
  const Strategy chosen{.operands = plan.operands, .results = plan.results};
  const auto cost = run_cost(planner.graph(), node, chosen, planner.mesh(), planner.machine());
  return cost ? *cost : kForbidden;
}

}  // namespace

PlanRecord plan_record(const PlacementPlanner& planner, const PlacementPlan& plan, const std::vector<std::string>& parameters) {
  PlanRecord record{
      .mesh = {}, .machine = planner.machine().name, .nodes = {}, .replicated_operators = plan.replicated_operators};
  for (const MeshAxis& axis : planner.mesh()) record.mesh.emplace_back(axis.name, axis.size);
  const JointGraph& graph = planner.graph();
  const std::vector<int> made_by = producers(graph);
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const JointNode& node = graph.nodes[at];
    const NodePlan& planned = plan.nodes[at];
    const JointValue& first = graph.values[node.results.empty() ? node.operands.front() : node.results.front()];
    PlanNodeRecord kept{.name = name_of(graph, static_cast<int>(at)),
                        .parameter = node.role == Role::parameter ? parameters.at(static_cast<std::size_t>(node.index)) : "",
                        .module = node.module,
                        .backward = node.backward,
                        .shape = first.shape,
                        .element_bytes = first.element_bytes,
                        .operands = {},
                        .results = {},
                        .run_ns = run_cost_of(planner, static_cast<int>(at), planned)};
    for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
      const int value = node.operands[operand];
      kept.operands.push_back({.node = made_by[value],
                               .source = name_of(planned.sources[operand]),
                               .wanted = name_of(planned.operands[operand]),
                               .move_ns = move_cost(graph.values[value], planned.sources[operand], planned.operands[operand],
                                                    planner.mesh(), planner.machine())});
    }
    for (const Placements& result : planned.results) kept.results.push_back(name_of(result));
    record.nodes.push_back(std::move(kept));
  }
  return record;
}

}  // namespace ordercheck::placing
