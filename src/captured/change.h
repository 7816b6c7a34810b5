// What passes changed of a captured graph, node by node.
//
// A node is the same in two graphs where it is of the same half and operator and makes the same values; one that makes none, where it
// was handed the same. Passes keep the numbers of values that they leave alone, so that this needs no matching by structure.
#pragma once

#include <vector>

#include "base/enum.h"
#include "parity/graph_record.h"

namespace ordercheck::captured {

//   same      as it was, and in its order
//   added     there is no such node before       removed   there is none behind
//   moved     stands elsewhere among those that are in both: of two that changed places one, and as few in all as can be
//   rewired   in its order, and handed something else, or tagged otherwise
ORDERCHECK_ENUM(NodeChange, same, added, removed, moved, rewired)

struct ChangedNode {
  NodeChange change = NodeChange::same;
  GraphNodeRecord node;
  friend bool operator==(const ChangedNode&, const ChangedNode&) = default;
};

// The nodes of `after` in their order, forward first. What was removed stands behind the node that it stood behind before.
std::vector<ChangedNode> change_between(const GraphRecord& before, const GraphRecord& after);

}  // namespace ordercheck::captured
