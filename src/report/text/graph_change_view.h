// What passes changed of a captured graph (captured/change.h), for people: as a list and as a picture in Graphviz's language.
#pragma once

#include <string>
#include <vector>

#include "parity/graph_record.h"

namespace ordercheck {

// One capture before passes and behind them.
struct GraphChange {
  GraphRecord before, after;
};

// A line a node that is not as it was: "-" removed, "+" added, ">" moved, "~" handed something else; the others are counted.
std::string render_change_text(const GraphChange& change);

// One picture of all: what was added green, removed red and dashed, moved blue, handed something else orange. Of the other nodes grey
// those that one of these reads or is read by; the rest is left out. `title` stands above.
std::string render_changes_dot(const std::vector<GraphChange>& changes, const std::string& title);

}  // namespace ordercheck
