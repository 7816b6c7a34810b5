#include "ranks/train/batch.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

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
  return coordinate[1] * mesh.degrees[2] + coordinate[2];  // kMeshAxes: dp_replicate, dp_shard
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

}  // namespace ordercheck::ranks
