// Cross-entropy over the vocabulary, summed over valid tokens; on logits that are whole or split over a mesh axis.
#pragma once

#include <ATen/core/Tensor.h>

#include "ranks/module/placement.h"

namespace ordercheck::ranks {

// logits [batch, sequence, vocab], labels int64 [batch, sequence], kIgnoredLabel (batch.h) where a token does not count.
// `placements` says how the logits lie: whole ones go to at::cross_entropy_loss; a shard of dim 2 is a split vocabulary, whose
// softmax statistics are reduced over its axis, as torch's loss_parallel does; anything else is an error. Ranks hold chunks of
// `vocabulary` columns as torch.chunk cuts them: the last ones may be shorter, and none may be empty.
// The result is a sum, not a mean: 0-dim, differentiable, the same on every rank of that axis.
at::Tensor summed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, const Placements& placements,
                                int64_t vocabulary);

}  // namespace ordercheck::ranks
