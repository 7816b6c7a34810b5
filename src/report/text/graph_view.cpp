#include "report/text/graph_view.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"
#include "graph/change.h"
#include "graph/lifetimes.h"
#include "graph/timeline.h"
#include "record/record_codec.h"

namespace ordercheck {
namespace {

std::string shape_of(const GraphRecord& graph, int value) {
  return fmt::format("[{}]", fmt::join(graph.shapes[static_cast<std::size_t>(value)], "x"));
}

std::string named(const std::vector<int>& values) {
  std::vector<std::string> names;
  for (const int value : values) names.push_back(fmt::format("%{}", value));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

bool is_collective(const GraphNodeRecord& node) { return node.op.starts_with("_c10d_functional::"); }

// Draws one captured graph into the Graphviz picture. Nodes are named g<graph>n<node>, values from outside of the graph
// g<graph>v<value>.
class Picture {
 public:
  Picture(const GraphRecord& graph, std::size_t index) : graph_(graph), index_(index) {}

  std::string render() {
    std::string text = fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", index_, region_of(graph_));
    text += half(false, "forward");
    text += half(true, "backward");
    text += edges_;
    return text + "  }\n";
  }

 private:
  std::string outside(int value, const char* what) {
    const std::string name = fmt::format("g{}v{}", index_, value);
    maker_[value] = name;
    return fmt::format("      {} [shape=plaintext, label=\"{} {}\"];\n", name, what, shape_of(graph_, value));
  }

  std::string half(bool backward, const char* name) {
    std::string text = fmt::format("    subgraph cluster_{}_{} {{\n      label=\"{}\";\n", index_, name, name);
    if (!backward) {
      for (const int value : graph_.inputs) text += outside(value, "input");
      for (const int value : graph_.parameters) text += outside(value, "parameter");
    } else {
      for (const int value : graph_.tangents) text += outside(value, "gradient");
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const GraphNodeRecord& node = graph_.nodes[n];
      if (node.backward == backward) text += drawn(node, fmt::format("g{}n{}", index_, n));
    }
    return text + "    }\n";
  }

  std::string drawn(const GraphNodeRecord& node, const std::string& name) {
    const std::string shape = node.results.empty() ? "" : " " + shape_of(graph_, node.results.front());
    for (const int value : std::set<int>(node.operands.begin(), node.operands.end())) {
      const auto from = maker_.find(value);
      if (from == maker_.end()) continue;  // not a tensor
      // Backward reads a value of forward: it is saved, so draw it thick.
      const bool crosses = node.backward && !made_in_backward_.count(value);
      edges_ += fmt::format("    {} -> {}{};\n", from->second, name, crosses ? " [penwidth=3]" : "");
    }
    for (const int value : node.results) {
      maker_[value] = name;
      if (node.backward) made_in_backward_.insert(value);
    }
    return fmt::format("      {} [label=\"{}{}\"{}{}];\n", name, short_op(node.op), shape,
                       node.recomputed ? ", style=filled, fillcolor=lightgrey" : "",
                       is_collective(node) ? ", peripheries=2" : "");
  }

  const GraphRecord& graph_;
  std::size_t index_;
  std::map<int, std::string> maker_;
  std::set<int> made_in_backward_;
  std::string edges_;
};

}  // namespace

std::string region_of(const GraphRecord& graph) { return graph.module.empty() ? "the model" : graph.module; }

std::string short_op(const std::string& op) {
  const auto colons = op.rfind("::");
  return colons == std::string::npos ? op : op.substr(colons + 2);
}

std::string render_node(const GraphRecord& graph, const GraphNodeRecord& node) {
  std::vector<std::string> tags;
  if (node.recomputed) tags.emplace_back("recomputed");
  if (!node.policy.empty()) tags.push_back(node.policy);
  if (node.unshards) tags.emplace_back("unshards");
  if (!node.bucket.empty()) tags.push_back("bucket " + node.bucket);
  const std::string result =
      node.results.empty() ? "" : fmt::format("{} {} = ", named(node.results), shape_of(graph, node.results.front()));
  return fmt::format("{}{}({}){}", result, node.op, node.arguments, tags.empty() ? "" : "  # " + join(tags, ", "));
}

std::string render_graph_text(const GraphRecord& graph) {
  const auto count = [&](bool backward, bool recomputed) {
    return std::ranges::count_if(graph.nodes, [&](const GraphNodeRecord& node) {
      return node.backward == backward && (!recomputed || node.recomputed);
    });
  };
  std::string text = fmt::format("graph of {}: {} forward, {} backward, {} of them recomputed\n", region_of(graph),
                                 counted(count(false, false), "operator"), count(true, false), count(true, true));
  text += fmt::format("  inputs      {}\n  parameters  {}\n", named(graph.inputs), named(graph.parameters));
  for (const bool backward : {false, true}) {
    if (backward) text += fmt::format("  saved       {}\n", named(graph.saved));
    text += backward ? fmt::format("backward of {}\n", named(graph.tangents)) : "forward\n";
    for (const GraphNodeRecord& node : graph.nodes) {
      if (node.backward != backward) continue;
      text += fmt::format("  {}\n", render_node(graph, node));
    }
    text += backward ? fmt::format("  gradients   {}\n", named(graph.gradients))
                     : fmt::format("  output      {}\n", named(graph.outputs));
  }
  return text;
}

std::string render_graphs_dot(const std::vector<GraphRecord>& graphs, const std::string& title) {
  std::string text = fmt::format(
      "digraph ordercheck {{\n  label=\"{}\";\n  labelloc=t;\n  node [shape=box, fontname=\"sans-serif\"];\n"
      "  fontname=\"sans-serif\";\n",
      title);
  for (std::size_t i = 0; i < graphs.size(); ++i) text += Picture(graphs[i], i).render();
  return text + "}\n";
}

namespace {

double in_us(captured::Nanoseconds ns) { return static_cast<double>(ns) / 1000; }

std::string cost_of(const GraphRecord& graph) {
  const auto line = captured::timeline_of({graph}, captured::stated_machine());
  if (!line) return line.error().message;
  return fmt::format(
      "{:.1f} us, of which compute waits {:.1f} us of the {:.1f} us that collectives take; {} bytes held at most",
      in_us(line->step), in_us(line->exposed), in_us(line->sending), captured::held_bytes_peak({graph}));
}

}  // namespace

std::string render_cost(const GraphRecord& graph) { return fmt::format("on a stated machine  {}\n", cost_of(graph)); }

std::string render_costs(const GraphChange& change) {
  return fmt::format("on a stated machine\n  before  {}\n  after   {}\n", cost_of(change.before), cost_of(change.after));
}

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
