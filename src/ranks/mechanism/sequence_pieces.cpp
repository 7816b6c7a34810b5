#include "ranks/mechanism/sequence_pieces.h"

#include <ATen/ATen.h>

#include "ranks/comm/collectives.h"

namespace ordercheck::ranks {

at::Tensor sequence_piece(const at::Tensor& whole, int64_t dim, const std::string& axis) {
  const int64_t ranks = group_size(axis), length = whole.size(dim) / ranks;
  TORCH_CHECK(length * ranks == whole.size(dim), "a sequence of ", whole.size(dim),
              " positions does not split evenly over the ", ranks, " ranks of ", axis);
  return whole.narrow(dim, length * group_rank(axis), length).contiguous();
}

at::Tensor causal_mask(int64_t queries, int64_t keys, const std::string& axis, int of) {
  const at::Tensor query = at::arange(queries, at::kLong) + queries * group_rank(axis);
  const at::Tensor key = at::arange(keys, at::kLong) + (of < 0 ? 0 : keys * of);
  return query.unsqueeze(1).ge(key);
}

}  // namespace ordercheck::ranks
