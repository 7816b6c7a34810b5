// Softmax of attention scores in the three arithmetics. The maximum is taken first, never carried along as a running
// softmax does: what it is subtracted from would depend on how the row is cut.
#pragma once

#include <ATen/core/Tensor.h>

#include "ranks/arith/arithmetic.h"

namespace ordercheck::ranks {

// Over the last dim of scores [n, queries, keys]; where `hidden` [queries, keys] is true the weight is 0. Every query must
// see at least one key. The terms of the row sums, of the gradient's too, are snapped. Saves its result only.
at::Tensor masked_softmax(const Numerics& numerics, const at::Tensor& scores, const at::Tensor& hidden);

}  // namespace ordercheck::ranks
