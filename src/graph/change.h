// Lists what graph passes changed in a captured graph, node by node.
//
// Two nodes are the same if they have the same half, operator and results (arguments if there are no results). Passes keep the
// numbers of values that they leave alone, so no structural matching is needed.
#pragma once

#include <vector>

#include "base/enum.h"
#include "record/graph_record.h"

namespace ordercheck::captured {

//   same      unchanged, in order
//   added     only in the new graph       removed   only in the old graph
//   moved     in another place among common nodes; if two swapped, one of them, and as few as possible overall
//   rewired   in order, with other operands or another tag
ORDERCHECK_ENUM(NodeChange, same, added, removed, moved, rewired)

struct ChangedNode {
  NodeChange change = NodeChange::same;
  GraphNodeRecord node;
  friend bool operator==(const ChangedNode&, const ChangedNode&) = default;
};

// The nodes of `after` in order, forward first. A removed node follows the node that it followed before.
std::vector<ChangedNode> change_between(const GraphRecord& before, const GraphRecord& after);

}  // namespace ordercheck::captured
