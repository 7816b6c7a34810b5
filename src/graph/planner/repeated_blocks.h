// Plans repeated blocks with equal placements, except the first and the last block. Planning a hundred blocks then takes as long
// as planning three. A plan in which blocks alternate may cost less and is not found.
//
// Source: AutoParallel's clusters of equal nodes (meta-pytorch/autoparallel).
#pragma once

#include <vector>

#include "graph/joint_graph.h"
#include "graph/planner/reduced_choices.h"

namespace ordercheck::placing {

// For each node, the node whose placements it takes: itself, or its counterpart in the second block. Counterparts have the same
// operator, sizes, constants and position in modules whose names differ only in numbers ("layers.1.norm", "layers.2.norm").
// Nodes of the first and the last block keep their own placements, since their neighbors are outside of the blocks.
std::vector<int> leader_of_nodes(const JointGraph& graph);

// Restricts `problem` so that each unknown takes the choice of its leader. Costs stay those of the whole problem. An unknown with
// another leader keeps its index and gets a single choice that costs nothing. It must have as many choices as its leader.
ChoiceProblem merge_unknowns(const ChoiceProblem& problem, const std::vector<int>& leaders);

}  // namespace ordercheck::placing
