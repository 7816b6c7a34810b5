// Who has which positions of the sequence when it is split over the ranks of an axis.
//
//   in_turn     one contiguous piece a rank
//   head_tail   of twice as many chunks as ranks, rank r has the r-th and the r-th from the end, so that each has as much of the
//               causal triangle as another: as torch's _HeadTailLoadBalancer
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

enum class SequenceOrder { in_turn, head_tail };

// The positions that rank `rank` of `ranks` has `count` of, int64, in the order in which it has them.
at::Tensor positions_of_rank(int64_t count, int ranks, int rank, SequenceOrder order);

// This rank's piece along `dim`. Throws where the ranks, or the chunks, do not divide it: ranks would have unequal shapes to talk
// about.
at::Tensor sequence_piece(const at::Tensor& whole, int64_t dim, const std::string& axis,
                          SequenceOrder order = SequenceOrder::in_turn);

// Which keys a query sees, both known by their places in the whole sequence: bool [queries, keys] for `queries` of this rank's and
// `keys` of the rank `of`, or of all ranks, one behind the other, where `of` is -1.
at::Tensor causal_mask(int64_t queries, int64_t keys, const std::string& axis, int of = -1,
                       SequenceOrder order = SequenceOrder::in_turn);

}  // namespace ordercheck::ranks
