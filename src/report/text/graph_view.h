// A captured graph for people: as a list of operators, and as a picture in Graphviz's language.
#pragma once

#include <string>
#include <vector>

#include "parity/graph_record.h"

namespace ordercheck {

// "forward" or "backward" and a line a node: "%12 [48x48] = aten::mm(%3, %11)"; recomputed nodes are marked.
std::string render_graph_text(const GraphRecord& graph);

// One picture of all graphs: forward left, backward right; what is saved between them as thick edges, what is recomputed
// shaded, collectives as boxes with a double border. `title` stands above.
std::string render_graphs_dot(const std::vector<GraphRecord>& graphs, const std::string& title);

}  // namespace ordercheck
