#include "report/text/graph_json.h"

#include <nlohmann/json.hpp>

#include "captured/change.h"
#include "captured/lifetimes.h"
#include "captured/timeline.h"
#include "protocol/graph_codec.h"

namespace ordercheck {
namespace {

using nlohmann::json;

std::string print(const GraphsOf& of, json graphs) {
  const nlohmann::ordered_json answer{{"schema", "ordercheck/graph/1"},
                                      {"stack", of.stack},
                                      {"engine", of.engine},
                                      {"versions", of.versions},
                                      {"graphs", std::move(graphs)}};
  return answer.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json simulated(const GraphRecord& graph) {
  const auto line = captured::timeline_of({graph}, captured::stated_machine());
  if (!line) return nullptr;
  return {{"step_ns", line->step},       {"computing_ns", line->computing},
          {"sending_ns", line->sending}, {"exposed_ns", line->exposed},
          {"buckets", line->buckets},    {"held_bytes_peak", captured::held_bytes_peak({graph})}};
}

json node_of(const GraphNodeRecord& node, json change) {
  json value = json_of(node);
  value["change"] = std::move(change);
  return value;
}

}  // namespace

std::string render_graphs_json(const std::vector<GraphRecord>& graphs, const GraphsOf& of) {
  json list = json::array();
  for (const GraphRecord& graph : graphs) {
    json one = json_of(graph);
    one["compared_with"] = nullptr;
    one["simulated"] = simulated(graph);
    for (json& node : one["nodes"]) node["change"] = nullptr;
    list.push_back(std::move(one));
  }
  return print(of, std::move(list));
}

std::string render_changes_json(const std::vector<GraphChange>& changes, const GraphsOf& of) {
  json list = json::array();
  for (const GraphChange& change : changes) {
    json one = json_of(change.after);
    one["compared_with"] = change.before.passes;
    one["simulated"] = simulated(change.after);
    one["nodes"] = json::array();
    for (const captured::ChangedNode& node : captured::change_between(change.before, change.after))
      one["nodes"].push_back(node_of(node.node, name_of(node.change)));
    list.push_back(std::move(one));
  }
  return print(of, std::move(list));
}

}  // namespace ordercheck
