// Causal attention over a sequence that is split over the ranks of an axis, by a ring: pieces of keys and values go from rank to
// rank, and each rank multiplies its queries with the piece that it has. After Ring Attention (Liu, Zaharia, Abbeel 2023).
//
// A running softmax, as ring attention has it, rounds at every piece, so its bits depend on how the sequence is cut. Here the
// scores of all pieces are kept until they are complete: the keys go round once, then the softmax is taken of whole rows, then the
// values go round. Products of pieces are exact, and so are their sums: the result has the bits of whole attention.
#pragma once

#include <string>

#include "ranks/mechanism/sequence_pieces.h"
#include "ranks/module/module.h"

namespace ordercheck::ranks {

// q [batch, heads, queries, head_dim], k and v [batch, kv_heads, queries, head_dim]: this rank's piece of each, as `order` deals them
// out. Output as q. Differentiable: in backward keys and values go round together with their gradients. Every rank multiplies with
// every piece, also where the mask hides it: an order that balances work is right here, and saves none.
at::Tensor ring_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::string& axis,
                          SequenceOrder order = SequenceOrder::in_turn);

}  // namespace ordercheck::ranks
