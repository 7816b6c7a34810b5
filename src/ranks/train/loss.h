// Cross-entropy over the vocabulary, summed over valid tokens; on logits that are whole or split over a mesh axis.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "ranks/arith/arithmetic.h"
#include "ranks/module/placement.h"

namespace ordercheck::ranks {

// logits [batch, sequence, vocab], labels int64 and valid bool [batch, sequence]. `placements` says how the logits lie:
// a shard of dim 2 is a split vocabulary (softmax statistics are reduced over its axis), anything else is an error.
// The result is a sum, not a mean: 0-dim, differentiable, the same on every rank of that axis.
at::Tensor summed_cross_entropy(const Numerics& numerics, const at::Tensor& logits, const at::Tensor& labels,
                                const at::Tensor& valid, const Placements& placements);

}  // namespace ordercheck::ranks
