#include "protocol/plan_codec.h"

namespace ordercheck {
namespace {

using nlohmann::json;

json json_of(const PlanNodeRecord& node) {
  json operands = json::array();
  for (const PlanOperandRecord& operand : node.operands)
    operands.push_back(
        {{"node", operand.node}, {"source", operand.source}, {"wanted", operand.wanted}, {"move_ns", operand.move_ns}});
  return {{"name", node.name},    {"parameter", node.parameter},   {"backward", node.backward}, {"shape", json(node.shape)},
          {"operands", operands}, {"results", json(node.results)}, {"run_ns", node.run_ns}};
}

PlanNodeRecord plan_node_in(const json& value) {
  PlanNodeRecord node{.name = value["name"],
                      .parameter = value["parameter"],
                      .backward = value["backward"],
                      .shape = value["shape"].get<std::vector<std::int64_t>>(),
                      .operands = {},
                      .results = value["results"].get<std::vector<std::string>>(),
                      .run_ns = value["run_ns"]};
  for (const json& operand : value["operands"])
    node.operands.push_back(
        {.node = operand["node"], .source = operand["source"], .wanted = operand["wanted"], .move_ns = operand["move_ns"]});
  return node;
}

}  // namespace

json json_of(const PlanRecord& plan) {
  json mesh = json::array(), nodes = json::array();
  for (const auto& [axis, size] : plan.mesh) mesh.push_back({{"axis", axis}, {"size", size}});
  for (const PlanNodeRecord& node : plan.nodes) nodes.push_back(json_of(node));
  return {
      {"mesh", mesh}, {"machine", plan.machine}, {"nodes", nodes}, {"replicated_operators", json(plan.replicated_operators)}};
}

PlanRecord plan_in(const json& value) {
  PlanRecord plan{.mesh = {},
                  .machine = value["machine"],
                  .nodes = {},
                  .replicated_operators = value["replicated_operators"].get<std::vector<std::string>>()};
  for (const json& axis : value["mesh"]) plan.mesh.emplace_back(axis["axis"], axis["size"]);
  for (const json& node : value["nodes"]) plan.nodes.push_back(plan_node_in(node));
  return plan;
}

}  // namespace ordercheck
