// Captures a computation by running it once: a dispatch mode below autograd writes down every operator of one forward and
// of autograd's backward of it.
//
// The run is a dry run. Collectives are not sent: their results get the right shape and no meaning, so that ranks may
// record at different times. Guards are written down, not run. Nothing is counted with the rank.
//
// A value is told from others by storage, offset, sizes, strides and dtype; everything seen is kept alive meanwhile, so
// that no address is used twice. What cannot be replayed is refused by GraphBreak: an operator that writes to its
// argument, whose result's shape or value the program reads, that draws random numbers, or that reads a tensor which is
// neither input nor parameter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

using Recorded = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

// `leaves` are the parameters that the computation may read. Grad mode is on meanwhile, dispatch modes and saved-tensor
// hooks of the caller are put aside. Throws GraphBreak, and whatever the computation throws.
GraphPtr record(const std::string& region, const Recorded& computation, const std::vector<at::Tensor>& inputs,
                const std::vector<at::Tensor>& leaves);

}  // namespace ordercheck::ranks
