// Builds this rank's tokens and labels of a step (stack/step_data.h generates the data), and computes the loss.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "native/module/placement.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

// The default ignore_index of torch's losses.
inline constexpr std::int64_t kIgnoredLabel = -100;

struct Batch {
  at::Tensor tokens;                  // [samples, sequence] int64
  at::Tensor labels;                  // [samples, sequence] int64; kIgnoredLabel where the token is not valid
  at::Tensor positions;               // [sequence] int64
  std::vector<std::int64_t> samples;  // index of each sample in the batch of all ranks
};

// Returns the rank's samples of one of `accumulation` microbatches. The step's samples are split in order over the
// data-parallel ranks (dp_replicate outside dp_shard), then over the microbatches. Splits are as even as possible, longer parts
// first.
Batch batch_of(std::uint64_t seed, int step, const Mesh& mesh, int rank, int microbatch, int accumulation);

// True if every rank gets at least one sample in every microbatch. Otherwise the case is rejected: an idle rank tests nothing.
bool all_have_work(const Mesh& mesh, int accumulation);

int data_parallel_degree(const Mesh& mesh);

// Cross-entropy over the vocabulary, summed over valid tokens, for whole or vocabulary-sharded logits.

// Returns the sum over valid tokens, not the mean: 0-dim, differentiable, equal on all ranks of the axis that shards the
// vocabulary.
// - logits: [batch, sequence, vocab].
// - labels: int64 [batch, sequence]; kIgnoredLabel for tokens that do not count.
// - placements: how the logits are sharded. Unsharded ones go to at::cross_entropy_loss. If dim 2 is sharded, the softmax
//   statistics are all-reduced over its axis, as in torch's loss_parallel. Throws for anything else.
// - vocabulary: number of columns of the unsharded logits, split as by torch.chunk: the last chunks may be shorter, but not
//   empty.
at::Tensor summed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, const Placements& placements,
                                int64_t vocabulary);

}  // namespace ordercheck::ranks
