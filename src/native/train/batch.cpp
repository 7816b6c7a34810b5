#include "native/train/batch.h"

#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "native/arith/range.h"
#include "native/world/collectives.h"
#include "stack/step_data.h"

namespace ordercheck::ranks {
namespace {

struct Part {
  int first;
  int count;
};

Part even_part(Part whole, int parts, int index) {
  const int small = whole.count / parts;
  const int longer = whole.count % parts;
  return {.first = whole.first + index * small + std::min(index, longer), .count = small + (index < longer ? 1 : 0)};
}

int data_parallel_rank(const Mesh& mesh, int rank) {
  const auto coordinate = coordinates(mesh, rank);
  return coordinate[1] * mesh.degrees[2] + coordinate[2];  // indices of kMeshAxes: 1 is dp_replicate, 2 is dp_shard
}

}  // namespace

int data_parallel_degree(const Mesh& mesh) { return degree_of(mesh, "dp_replicate") * degree_of(mesh, "dp_shard"); }

bool all_have_work(const Mesh& mesh, int accumulation) { return kStep.sequences / data_parallel_degree(mesh) >= accumulation; }

Batch batch_of(std::uint64_t seed, int step, const Mesh& mesh, int rank, int microbatch, int accumulation) {
  const Part of_rank = even_part({0, kStep.sequences}, data_parallel_degree(mesh), data_parallel_rank(mesh, rank));
  const Part samples = even_part(of_rank, accumulation, microbatch);
  const int length = kStep.sequence_length;
  Batch batch{.tokens = at::empty({samples.count, length}, at::kLong),
              .labels = at::empty({samples.count, length}, at::kLong),
              .positions = at::arange(length, at::kLong)};
  for (int i = 0; i < samples.count; ++i) {
    const int sample = samples.first + i;
    batch.samples.push_back(sample);
    for (int position = 0; position < length; ++position) {
      const int64_t at = static_cast<int64_t>(i) * length + position;
      batch.tokens.mutable_data_ptr<int64_t>()[at] = token_at(seed, step, sample, position);
      const bool valid = valid_at(seed, step, sample, position);
      batch.labels.mutable_data_ptr<int64_t>()[at] = valid ? label_at(seed, step, sample, position) : kIgnoredLabel;
    }
  }
  return batch;
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Cross-entropy of vocabulary-sharded logits. Runs log_softmax, nll_loss and their gradients, in that order, on this rank's
// columns. Each result has the bits of the corresponding part of the result for unsharded logits.
struct SplitCrossEntropy : torch::autograd::Function<SplitCrossEntropy> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& logits, const at::Tensor& labels, const std::string& axis,
                            int64_t vocabulary) {
    // First column of this rank: chunks may differ in length, so it is not `rank` times the length. A piece that is no such
    // chunk, possible if a check was left out, counts as one of equal pieces.
    const Span chunk = chunk_of(vocabulary, group_size(axis), group_rank(axis));
    const int64_t length = logits.size(-1);
    const int64_t start = length == chunk.length ? chunk.start : length * group_rank(axis);
    const at::Tensor largest = all_reduce(at::amax(logits, {-1}, /*keepdim=*/true), axis, Reduction::max);
    const at::Tensor shifted = logits - largest;
    const at::Tensor sum = all_reduce(at::sum(at::exp(shifted), {-1}, /*keepdim=*/true), axis);
    const at::Tensor log_weights = shifted - at::log(sum);

    const at::Tensor local = (labels - start).unsqueeze(-1);
    const at::Tensor mine = local.ge(0).logical_and(local.lt(length)).logical_and(labels.ne(kIgnoredLabel).unsqueeze(-1));
    const at::Tensor index = local.clamp(0, length - 1);
    const at::Tensor picked = all_reduce(at::where(mine, log_weights.gather(-1, index), 0.0), axis);
    ctx->save_for_backward({log_weights, labels, index, mine});
    const FewerPartialResults total(group_size(axis));
    return at::sum(at::where(labels.ne(kIgnoredLabel).unsqueeze(-1), -picked, 0.0));
  }

  // Gradient of the logits: (one_hot - softmax) * s with s = -gradient of the loss, and 0 for ignored labels.
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor& log_weights = saved[0];
    const at::Tensor scale = at::where(saved[1].ne(kIgnoredLabel).unsqueeze(-1), -gradients[0], 0.0);
    const at::Tensor one_hot = at::zeros_like(log_weights).scatter(-1, saved[2], saved[3].to(log_weights.scalar_type()));
    return {(one_hot - at::exp(log_weights)) * scale, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor summed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels, const Placements& placements,
                                int64_t vocabulary) {
  if (placements.empty()) {
    return at::cross_entropy_loss(logits.flatten(0, 1), labels.flatten(), /*weight=*/{}, at::Reduction::Sum, kIgnoredLabel);
  }
  if (placements.size() > 1 || placements[0].kind != Placement::Kind::shard || placements[0].dim != 2) {
    throw std::runtime_error("the loss expects logits whole or split over the vocabulary, got " + print(placements));
  }
  return SplitCrossEntropy::apply(logits, labels, placements[0].axis, vocabulary);
}

}  // namespace ordercheck::ranks
