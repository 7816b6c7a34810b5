// Renders a captured graph as a list of operators and in Graphviz's language.
#pragma once

#include <string>
#include <vector>

#include "record/graph_record.h"
#include "report/text/graph_change_view.h"

namespace ordercheck {

// "layers.0", "the model".
std::string region_of(const GraphRecord& graph);

// One node with its tags: "%12 [48x48] = aten::mm(%3, %11)  # recomputed, must_recompute".
std::string render_node(const GraphRecord& graph, const GraphNodeRecord& node);

// "mm": an operator without its library, to save space in a picture.
std::string short_op(const std::string& op);

// "forward" or "backward", and one line per node as in render_node().
std::string render_graph_text(const GraphRecord& graph);

// One picture of all graphs: forward left, backward right, saved values as thick edges, recomputed nodes shaded, collectives
// with a double border. `title` is at the top.
std::string render_graphs_dot(const std::vector<GraphRecord>& graphs, const std::string& title);

// Cost of a captured graph, simulated on the stated machine (graph/timeline.h).

// One line: "on a stated machine  812.5 us, of which compute waits 120.0 us of the 400.0 us that collectives take; 1234 bytes
// held at most".
std::string render_cost(const GraphRecord& graph);

// Two lines of render_cost(): the graph before and after the passes.
std::string render_costs(const GraphChange& change);

// Renders captured graphs, or the changes that passes made to them, as JSON.

// The run that captured the graphs.
struct GraphsOf {
  std::string stack;
  std::string engine;
  std::vector<std::string> versions;
};

std::string render_graphs_json(const std::vector<GraphRecord>& graphs, const GraphsOf& of);
std::string render_changes_json(const std::vector<GraphChange>& changes, const GraphsOf& of);

}  // namespace ordercheck
