// Who has which positions of the sequence when it is split over the ranks of an axis: contiguous pieces, one a rank.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// This rank's piece along `dim`. Throws where the axis does not divide it: ranks would have unequal shapes to talk about.
at::Tensor sequence_piece(const at::Tensor& whole, int64_t dim, const std::string& axis);

// Which keys a query sees, both counted over the whole sequence: bool [queries, keys] for `queries` of this rank's and `keys` of
// the rank `of`, or of all ranks in their order where `of` is -1.
at::Tensor causal_mask(int64_t queries, int64_t keys, const std::string& axis, int of = -1);

}  // namespace ordercheck::ranks
