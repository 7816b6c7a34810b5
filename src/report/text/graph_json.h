// Captured graphs, or what passes changed of them, as JSON.
#pragma once

#include <string>
#include <vector>

#include "parity/graph_record.h"
#include "report/text/graph_change_view.h"

namespace ordercheck {

// Whose graphs they are.
struct GraphsOf {
  std::string stack;
  std::string engine;
  std::vector<std::string> versions;
};

std::string render_graphs_json(const std::vector<GraphRecord>& graphs, const GraphsOf& of);
std::string render_changes_json(const std::vector<GraphChange>& changes, const GraphsOf& of);

}  // namespace ordercheck
