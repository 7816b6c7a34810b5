// Which nodes of a graph are alike, so that repeated blocks are planned once.
#pragma once

#include <string>
#include <vector>

#include "placing/graph/joint_graph.h"

namespace ordercheck::placing {

// A class for every node, numbered from 0 in the order of their first nodes. Two nodes are of one class where all that stands within
// `radius` edges of them is alike: operators, constants, shapes, dtypes, halves, roles, and what `marks` says of a node; edges are those
// of values and those of `pairs`. So the layers in the middle of a model are one, those near its ends are not, and a layer of which one
// more node makes use is not like the others. Radius 0 or more; by colour refinement.
std::vector<int> alike_nodes(const JointGraph& graph, const std::vector<std::pair<int, int>>& pairs,
                             const std::vector<std::string>& marks, int radius);

}  // namespace ordercheck::placing
