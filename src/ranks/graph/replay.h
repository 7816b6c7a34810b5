// Runs a captured graph as one opaque differentiable operator: autograd outside sees a single node, dispatch modes outside
// see nothing of its inside. Instruments (DispatchMode::is_instrument) still count what runs.
#pragma once

#include <vector>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// `inputs` must have the sizes, strides and dtypes of those that were recorded. The parameters' leaves take part as
// inputs of the operator, so that their gradients arrive, and their hooks fire, as in an eager run.
at::Tensor replay(const GraphPtr& graph, const std::vector<at::Tensor>& inputs);

}  // namespace ordercheck::ranks
