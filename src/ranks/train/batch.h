// The part of a step's data that a rank works on, as tensors. See stack/step_data.h for the data itself.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "ranks/module/placement.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

// The ignore_index that torch's losses have by default.
inline constexpr std::int64_t kIgnoredLabel = -100;

struct Batch {
  at::Tensor tokens;                  // [samples, sequence] int64
  at::Tensor labels;                  // [samples, sequence] int64; kIgnoredLabel where the token is not valid
  at::Tensor positions;               // [sequence] int64
  std::vector<std::int64_t> samples;  // their numbers in the whole batch
};

// Consecutive samples: first over the data-parallel ranks (dp_replicate outside dp_shard), then over the microbatches,
// each as even as can be, longer parts first.
Batch batch_of(std::uint64_t seed, int step, const Mesh& mesh, int rank, int microbatch, int accumulation);

// Whether every rank has at least one sample in every microbatch; a layout that leaves a rank without work shows nothing.
bool all_have_work(const Mesh& mesh, int accumulation);

int data_parallel_degree(const Mesh& mesh);

// Cross-entropy over the vocabulary, summed over valid tokens; on logits that are whole or split over a mesh axis.

// logits [batch, sequence, vocab], labels int64 [batch, sequence], kIgnoredLabel (batch.h) where a token does not count.
// `placements` says how the logits lie: whole ones go to at::cross_entropy_loss; a shard of dim 2 is a split vocabulary, whose
// softmax statistics are reduced over its axis, as torch's loss_parallel does; anything else is an error. Ranks hold chunks of
// `vocabulary` columns as torch.chunk cuts them: the last ones may be shorter, and none may be empty.
// The result is a sum, not a mean: 0-dim, differentiable, the same on every rank of that axis.
at::Tensor summed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, const Placements& placements,
                                int64_t vocabulary);

}  // namespace ordercheck::ranks
