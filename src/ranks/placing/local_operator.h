// One operator of a traced graph, run on a rank's pieces of its operands.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "placing/graph/placement.h"
#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// `operands` in the order in which the node's arguments name them. `results`: the sizes of this rank's pieces, which also replace the
// sizes that the operator is told. Throws where a result has others, by the operator's name. A result that a list holds is one as any
// other.
std::vector<at::Tensor> run_on_pieces(const Node& node, const std::vector<at::Tensor>& operands,
                                      const std::vector<placing::Shape>& results);

}  // namespace ordercheck::ranks
