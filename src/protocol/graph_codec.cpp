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

}  // namespace ordercheck
