#include "protocol/graph_codec.h"

#include <nlohmann/json.hpp>

namespace ordercheck {
namespace {

using nlohmann::json;

std::vector<int> values_in(const json& value) { return value.get<std::vector<int>>(); }

GraphNodeRecord node_in(const json& value) {
  return {.op = value["op"],
          .backward = value["backward"],
          .recomputed = value["recomputed"],
          .policy = value["policy"],
          .unshards = value["unshards"],
          .bucket = value["bucket"],
          .group = value["group"],
          .ranks = value["ranks"],
          .arguments = value["arguments"],
          .operands = values_in(value["operands"]),
          .results = values_in(value["results"])};
}

}  // namespace

json json_of(const GraphNodeRecord& node) {
  return {{"op", node.op},
          {"backward", node.backward},
          {"recomputed", node.recomputed},
          {"policy", node.policy},
          {"unshards", node.unshards},
          {"bucket", node.bucket},
          {"group", node.group},
          {"ranks", node.ranks},
          {"arguments", node.arguments},
          {"operands", json(node.operands)},
          {"results", json(node.results)}};
}

json json_of(const GraphRecord& graph) {
  json nodes = json::array();
  for (const GraphNodeRecord& node : graph.nodes) nodes.push_back(json_of(node));
  return {{"module", graph.module},
          {"passes", json(graph.passes)},
          {"shapes", json(graph.shapes)},
          {"element_bytes", json(graph.element_bytes)},
          {"view_of", json(graph.view_of)},
          {"inputs", json(graph.inputs)},
          {"parameters", json(graph.parameters)},
          {"saved", json(graph.saved)},
          {"outputs", json(graph.outputs)},
          {"tangents", json(graph.tangents)},
          {"gradients", json(graph.gradients)},
          {"nodes", std::move(nodes)}};
}

GraphRecord graph_in(const json& value) {
  GraphRecord graph{.module = value["module"],
                    .passes = value["passes"].get<std::vector<std::string>>(),
                    .shapes = value["shapes"].get<std::vector<std::vector<std::int64_t>>>(),
                    .element_bytes = values_in(value["element_bytes"]),
                    .view_of = values_in(value["view_of"]),
                    .inputs = values_in(value["inputs"]),
                    .parameters = values_in(value["parameters"]),
                    .saved = values_in(value["saved"]),
                    .outputs = values_in(value["outputs"]),
                    .tangents = values_in(value["tangents"]),
                    .gradients = values_in(value["gradients"]),
                    .nodes = {}};
  for (const json& node : value["nodes"]) graph.nodes.push_back(node_in(node));
  return graph;
}

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
