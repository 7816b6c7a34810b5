// The recommended order as a picture: a Mermaid flowchart. Nodes are transforms; an arrow says what a run of its two
// transforms in the other order showed on the reader's version.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct OrderDrawing {
  std::vector<std::string> lines;  // of a flowchart, without its first: edges, then their colours
};

// `names`: the order, "pp", "tp", ... Two transforms are joined where their other order is worse; neighbours are joined in any
// case, by a dashed line where both orders are alike, and by a dotted one where they were not run.
OrderDrawing draw_order(const std::vector<std::string>& names, const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
