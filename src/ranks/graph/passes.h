// Passes over a captured graph. None changes a bit of what the graph computes.
#pragma once

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// Removes nodes whose results nobody uses, those with an effect excepted. Backward may use forward's results.
void remove_dead_nodes(Graph& graph);

// Merges nodes that compute the same from the same operands, in forward and in backward. A recomputed node is not merged with
// one that is not: it is there so that the other's result need not be kept. Nodes with an effect stay. Of those that unshard a
// parameter neither holds: reads of one parameter make one gather, on all ranks that share it alike, and what must be saved is
// not computed again.
void merge_equal_nodes(Graph& graph);

// Decides which of forward's results backward is handed (graph.saved) and which it computes again, so that the bytes
// handed over are fewest: a minimal cut between what forward must compute and what backward needs. Contractions,
// collectives, gathers and reductions are never computed again; parameters cost nothing, views only what they view. A node's
// CheckpointPolicy goes before all that. Adds nodes marked `recomputed` to the backward.
//
// After the min-cut rematerialization of torch._functorch.partitioners; flow by Boost.
void partition(Graph& graph);

}  // namespace ordercheck::ranks
