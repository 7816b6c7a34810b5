#include "native/transform/sequence_pieces.h"

#include <vector>

#include <ATen/ATen.h>

#include "native/module/rank.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

at::TensorOptions of_positions() { return at::TensorOptions(at::kLong).device(device_now()); }

}  // namespace

// Build positions with operators, so that a captured graph contains them.
at::Tensor positions_of_rank(int64_t count, int ranks, int rank, SequenceOrder order) {
  if (order == SequenceOrder::in_turn) return at::arange(count, of_positions()) + count * rank;
  const int64_t chunk = count / 2;
  const at::Tensor positions = at::arange(chunk, of_positions());
  return at::cat({positions + chunk * rank, positions + chunk * (2 * ranks - 1 - rank)});
}

at::Tensor sequence_piece(const at::Tensor& whole, int64_t dim, const std::string& axis, SequenceOrder order) {
  const int64_t ranks = group_size(axis), chunks = order == SequenceOrder::head_tail ? 2 * ranks : ranks;
  TORCH_CHECK(whole.size(dim) % chunks == 0, "a sequence of ", whole.size(dim), " positions does not split evenly over the ",
              ranks, " ranks of ", axis, chunks == ranks ? "" : ", two chunks for each");
  const int64_t length = whole.size(dim) / ranks;
  if (order == SequenceOrder::in_turn) return whole.narrow(dim, length * group_rank(axis), length).contiguous();
  return whole.index_select(dim, positions_of_rank(length, static_cast<int>(ranks), group_rank(axis), order));
}

at::Tensor causal_mask(int64_t queries, int64_t keys, const std::string& axis, int of, SequenceOrder order) {
  const int ranks = group_size(axis);
  const auto keys_of_all = [&] {
    if (order == SequenceOrder::in_turn) return at::arange(keys, of_positions()) + 0;
    std::vector<at::Tensor> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(positions_of_rank(keys / ranks, ranks, rank, order));
    return at::cat(all);
  };
  const at::Tensor query = positions_of_rank(queries, ranks, group_rank(axis), order);
  const at::Tensor key = of < 0 ? keys_of_all() : positions_of_rank(keys, ranks, of, order);
  return query.unsqueeze(1).ge(key);
}

}  // namespace ordercheck::ranks
