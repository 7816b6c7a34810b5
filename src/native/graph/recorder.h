// Captures a computation by running it once: a dispatch mode below autograd records every operator of its forward and backward.
//
// The run is a dry run: its results are discarded. Collectives are not sent. Their results have the right shape and arbitrary
// values, so that ranks need not record at the same time. The rank counts nothing.
//
// A value is identified by storage, offset, sizes, strides and dtype. The recorder keeps all tensors alive, so that no address
// is reused. It throws GraphBreak for what cannot be replayed:
// - an operator that writes to its argument, unless its functional form can replace it
// - data-dependent values or shapes
// - random numbers of PyTorch's generator
// - a tensor that is neither input nor parameter
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/graph/graph.h"

namespace ordercheck::ranks {

using Recorded = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

// Returns the graph of `computation(inputs)` and its backward. `region` names the module for errors. `leaves` are the
// parameters that the computation may read. Runs in grad mode, without the caller's dispatch modes and saved-tensor hooks.
// Throws GraphBreak, and exceptions of the computation.
GraphPtr record(const std::string& region, const Recorded& computation, const std::vector<at::Tensor>& inputs,
                const std::vector<at::Tensor>& leaves);

}  // namespace ordercheck::ranks
