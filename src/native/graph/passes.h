// Provides passes over a captured graph. No pass changes a bit of its results.
#pragma once

#include "native/graph/graph.h"

namespace ordercheck::ranks {

// Removes nodes with unused results and no side effect. A forward result that backward reads is used.
void remove_dead_nodes(Graph& graph);

// Merges nodes that apply the same operator to the same operands, in forward and backward. Keeps nodes with side effects. Does
// not merge a recomputed node with its original in forward, because the recomputation exists so that the original's result need
// not be saved. Two exceptions: all reads of one parameter share one gather, on all ranks alike, and a must_save result is
// never recomputed.
void merge_equal_nodes(Graph& graph);

// Decides which forward results are saved for backward (graph.saved) and which backward recomputes, so that the fewest bytes
// are saved (a minimum cut). Never recomputes contractions, collectives, gathers and reductions. Saving a parameter costs
// nothing; saving a view costs what its base costs. A node's CheckpointPolicy has priority. Adds copies of forward nodes,
// marked `recomputed`, to backward.
//
// After the min-cut rematerialization of torch._functorch.partitioners; flow by Boost.
void partition(Graph& graph);

}  // namespace ordercheck::ranks
