// A captured graph for people: as a list of operators, and as a picture in Graphviz's language.
#pragma once

#include <string>
#include <vector>

#include "parity/graph_record.h"
#include "report/text/graph_change_view.h"

namespace ordercheck {

// "layers.0", "the model".
std::string region_of(const GraphRecord& graph);

// "%12 [48x48] = aten::mm(%3, %11)  # recomputed, must_recompute": a node, and how it is tagged.
std::string render_node(const GraphRecord& graph, const GraphNodeRecord& node);

// "mm": an operator without its library, as a picture has little room.
std::string short_op(const std::string& op);

// "forward" or "backward" and a line a node: as render_node() says it.
std::string render_graph_text(const GraphRecord& graph);

// One picture of all graphs: forward left, backward right; what is saved between them as thick edges, what is recomputed
// shaded, collectives as boxes with a double border. `title` stands above.
std::string render_graphs_dot(const std::vector<GraphRecord>& graphs, const std::string& title);

// What a captured graph takes on a stated machine (captured/timeline.h), for people.

// A line: "on a stated machine  812.5 us, of which compute waits 120.0 us of the 400.0 us that collectives take; 1234 bytes held at most".
std::string render_cost(const GraphRecord& graph);

// Two lines: before and behind.
std::string render_costs(const GraphChange& change);

// Captured graphs, or what passes changed of them, as JSON.

// Whose graphs they are.
struct GraphsOf {
  std::string stack;
  std::string engine;
  std::vector<std::string> versions;
};

std::string render_graphs_json(const std::vector<GraphRecord>& graphs, const GraphsOf& of);
std::string render_changes_json(const std::vector<GraphChange>& changes, const GraphsOf& of);

}  // namespace ordercheck
