// Computes causal attention over a sequence split over an axis, by a ring: pieces of keys and values move from rank to rank.
// Each rank multiplies its queries with the current piece. After Ring Attention (Liu, Zaharia, Abbeel 2023).
//
// The online softmax of ring attention rounds at every piece, so its bits depend on the split. Here all scores are kept: the
// keys go round once, then the softmax runs on whole rows, then the values go round. Products of pieces and their sums are
// exact, so the result has the bits of unsplit attention.
#pragma once

#include <string>

#include "native/module/module.h"
#include "native/transform/sequence_pieces.h"

namespace ordercheck::ranks {

// All inputs are this rank's pieces of the sequence, split in `order`: q [batch, heads, queries, head_dim], k and v [batch,
// kv_heads, queries, head_dim]. The output has the shape of q. Differentiable: in backward, keys, values and their gradients go
// round the ring too. Every rank multiplies its queries with every piece, even where the causal mask hides all of it: the
// head_tail order gives right results but saves no time.
at::Tensor ring_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::string& axis,
                          SequenceOrder order = SequenceOrder::in_turn);

}  // namespace ordercheck::ranks
