// Renders the changes that passes made to a captured graph (graph/change.h), as a list and in Graphviz's language.
#pragma once

#include <string>
#include <vector>

#include "record/graph_record.h"

namespace ordercheck {

// One captured graph before and after passes.
struct GraphChange {
  GraphRecord before, after;
};

// One line per changed node: "-" removed, "+" added, ">" moved, "~" other operands. Counts unchanged nodes.
std::string render_change_text(const GraphChange& change);

// One picture of all changes: added nodes green, removed red and dashed, moved blue, nodes with other operands orange. Their
// unchanged neighbours are grey; other nodes are omitted. `title` is at the top.
std::string render_changes_dot(const std::vector<GraphChange>& changes, const std::string& title);

}  // namespace ordercheck
