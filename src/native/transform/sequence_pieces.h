// Splits the positions of a sequence over the ranks of an axis.
//
//   in_turn     one contiguous piece per rank
//   head_tail   with twice as many chunks as ranks, rank r has the r-th and the r-th from the end. All ranks then have equal
//               shares of the causal triangle, as with torch's _HeadTailLoadBalancer
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

enum class SequenceOrder { in_turn, head_tail };

// Returns the positions of the full sequence that rank `rank` of `ranks` has: int64 [count], in the order of its piece.
at::Tensor positions_of_rank(int64_t count, int ranks, int rank, SequenceOrder order);

// Returns this rank's piece of `whole` along `dim`. Throws if the size of `dim` is not divisible by the ranks (head_tail: by
// twice the ranks), because ranks would have unequal shapes.
at::Tensor sequence_piece(const at::Tensor& whole, int64_t dim, const std::string& axis,
                          SequenceOrder order = SequenceOrder::in_turn);

// Returns the causal mask, bool [queries, keys]: true if the key's position in the full sequence is not after the query's.
// `queries` are this rank's; `keys` are those of rank `of`, or of all ranks concatenated if `of` is -1.
at::Tensor causal_mask(int64_t queries, int64_t keys, const std::string& axis, int of = -1,
                       SequenceOrder order = SequenceOrder::in_turn);

}  // namespace ordercheck::ranks
