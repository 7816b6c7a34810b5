#include "native/transform/ring_attention.h"

#include <tuple>

#include <ATen/Context.h>

#include "unit/native/arith/exactly.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

class RingAttention : public testing::TestWithParam<std::tuple<int, SequenceOrder>> {};
INSTANTIATE_TEST_SUITE_P(Ranks, RingAttention,
                         testing::Combine(testing::Values(1, 2, 3, 4),
                                          testing::Values(SequenceOrder::in_turn, SequenceOrder::head_tail)));

constexpr int64_t kLength = 24;

at::Tensor leaf(at::IntArrayRef sizes, int seed) { return numbers(sizes, seed).sin().requires_grad_(); }

at::Tensor piece(const at::Tensor& whole, int rank, int ranks, SequenceOrder order) {
  return whole.detach().index_select(2, positions_of_rank(kLength / ranks, ranks, rank, order));
}

// Output and all three gradients have the bits of attention over the whole sequence, of shared heads too.
void expect_the_bits_of_whole_attention(int ranks, SequenceOrder order) {
  const Exactly exact;
  const at::Tensor q = leaf({2, 4, kLength, 2}, 1), k = leaf({2, 2, kLength, 2}, 2), v = leaf({2, 2, kLength, 2}, 3);
  const at::Tensor weights = numbers({2, 4, kLength, 2}, 4).cos();
  const at::Tensor whole = at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true, {}, /*enable_gqa=*/true);
  whole.backward(weights);
  complete(mesh_with({{"cp", ranks}}), [&](RankState& rank) {
    const auto mine = [&](const at::Tensor& x) { return piece(x, rank.rank, ranks, order).requires_grad_(); };
    const at::Tensor own_q = mine(q), own_k = mine(k), own_v = mine(v);
    const at::Tensor out = ring_attention(own_q, own_k, own_v, "cp", order);
    EXPECT_TRUE(same_bits(out.detach(), piece(whole, rank.rank, ranks, order)));
    out.backward(piece(weights, rank.rank, ranks, order));
    EXPECT_TRUE(same_bits(own_q.grad(), piece(q.grad(), rank.rank, ranks, order)));
    EXPECT_TRUE(same_bits(own_k.grad(), piece(k.grad(), rank.rank, ranks, order)));
    EXPECT_TRUE(same_bits(own_v.grad(), piece(v.grad(), rank.rank, ranks, order)));
  });
}

TEST_P(RingAttention, HasTheBitsOfWholeAttention) {
  const auto [ranks, order] = GetParam();
  expect_the_bits_of_whole_attention(ranks, order);
}

// As on a GPU, which has no fused kernel of float64.
TEST_P(RingAttention, HasTheBitsOfWholeAttentionThatIsComposed) {
  const auto [ranks, order] = GetParam();
  at::globalContext().setSDPUseFlash(false);
  expect_the_bits_of_whole_attention(ranks, order);
  at::globalContext().setSDPUseFlash(true);
}

}  // namespace
}  // namespace ordercheck::ranks
