// Draws the recommended order as a Mermaid flowchart. Nodes are transforms. The style of an arrow shows the result of running
// its two transforms in the opposite order on the newest PyTorch.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct OrderDrawing {
  std::vector<std::string> lines;  // lines of the flowchart after its first one: edges, then their colours
};

// `names`: the order, "pp", "tp", ... Draws an edge between two transforms if their opposite order is worse. Adjacent
// transforms always have one: dashed if both orders are equal, dotted if not run.
OrderDrawing draw_order(const std::vector<std::string>& names, const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
