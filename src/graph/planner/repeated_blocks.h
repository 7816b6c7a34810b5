// Finds the blocks that a model repeats, and lets all but the first and the last of them choose alike, so that planning takes
// as long for a hundred blocks as for three.
//
// Source: AutoParallel's clusters of equal nodes (meta-pytorch/autoparallel).
#pragma once

#include <vector>

#include "graph/joint_graph.h"
#include "graph/planner/reduced_choices.h"

namespace ordercheck::placing {

// For every node, the node that it chooses like: itself, or an earlier one that has the same operator, sizes and constants at
// the same place of a module whose name differs in numbers alone ("layers.2.norm", "layers.1.norm"). The first and the last
// node of such a row choose for themselves, since they meet what is around the blocks.
std::vector<int> nodes_to_follow(const JointGraph& graph);

// The problem where every unknown takes the choice of the one that it follows. Its cost is that of the whole problem. An unknown
// that follows another keeps its number and has one choice without a cost. Followers must have as many choices as whom they
// follow.
ChoiceProblem merged(const ChoiceProblem& problem, const std::vector<int>& follows);

}  // namespace ordercheck::placing
