#include "ranks/mechanism/ring_attention.h"

#include <tuple>

#include <ATen/Context.h>
#include <fmt/format.h>

#include "unit/ranks/arith/exactly.h"
#include "unit/ranks/comm/on_ranks.h"

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

TEST(SequencePieces, AreContiguousAndInTheOrderOfRanks) {
  complete(mesh_with({{"cp", 3}}), [](RankState& rank) {
    const at::Tensor piece = sequence_piece(at::arange(12, at::kLong).view({2, 6}), 1, "cp");
    EXPECT_TRUE(at::equal(piece.select(0, 0), at::arange(2, at::kLong) + 2 * rank.rank));
  });
}

TEST(SequencePieces, RefuseASequenceThatDoesNotSplitEvenly) {
  const WorldResult result = run(mesh_with({{"cp", 3}}), [](RankState&) { sequence_piece(at::zeros({2, 8}), 1, "cp"); });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, testing::HasSubstr("8 positions does not split evenly over the 3 ranks of cp"));
}

struct Dealt {
  int64_t length;
  int ranks;
  std::vector<int64_t> positions;  // of one rank behind another
};

class HeadTail : public testing::TestWithParam<Dealt> {};

// As `_HeadTailLoadBalancer(length, ranks, device)._generate_indices()` of torch.distributed.tensor.experimental lists them.
TEST_P(HeadTail, DealsChunksOutAsTorchDoes) {
  const auto& [length, ranks, positions] = GetParam();
  complete(mesh_with({{"cp", ranks}}), [&](RankState& rank) {
    const at::Tensor piece = sequence_piece(at::arange(length, at::kLong), 0, "cp", SequenceOrder::head_tail);
    const at::Tensor owed = at::tensor(positions, at::kLong).narrow(0, rank.rank * length / ranks, length / ranks);
    EXPECT_TRUE(at::equal(piece, owed)) << piece;
  });
}

INSTANTIATE_TEST_SUITE_P(Lengths, HeadTail,
                         testing::Values(Dealt{4, 1, {0, 1, 2, 3}}, Dealt{4, 2, {0, 3, 1, 2}},
                                         Dealt{8, 2, {0, 1, 6, 7, 2, 3, 4, 5}},
                                         Dealt{12, 3, {0, 1, 10, 11, 2, 3, 8, 9, 4, 5, 6, 7}},
                                         Dealt{8, 4, {0, 7, 1, 6, 2, 5, 3, 4}}),
                         [](const auto& info) { return fmt::format("{}over{}", info.param.length, info.param.ranks); });

// A sequence that two ranks split, but no two chunks of each.
TEST(SequencePieces, RefuseHalvesOfAnOddPiece) {
  const WorldResult result = run(mesh_with({{"cp", 2}}), [](RankState&) {
    sequence_piece(at::zeros({6}), 0, "cp");
    sequence_piece(at::zeros({6}), 0, "cp", SequenceOrder::head_tail);
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message,
              testing::HasSubstr("6 positions does not split evenly over the 2 ranks of cp, two chunks for each"));
}

// A rank sees of the rows of its positions the columns of the others'.
TEST(SequencePieces, OfHeadAndTailSeeTheirRowsOfTheTriangle) {
  const at::Tensor order = at::tensor({0, 3, 1, 2}, at::kLong);
  const at::Tensor triangle = at::ones({4, 4}, at::kBool).tril().index_select(0, order).index_select(1, order);
  complete(mesh_with({{"cp", 2}}), [&](RankState& rank) {
    const at::Tensor rows = triangle.narrow(0, 2 * rank.rank, 2);
    EXPECT_TRUE(at::equal(causal_mask(2, 4, "cp", -1, SequenceOrder::head_tail), rows));
    for (const int of : {0, 1})
      EXPECT_TRUE(at::equal(causal_mask(2, 2, "cp", of, SequenceOrder::head_tail), rows.narrow(1, 2 * of, 2)));
  });
}

// The pieces of the usual triangle, whole rows or one rank's columns of them.
TEST(SequencePieces, SeeWhatATriangleShows) {
  complete(mesh_with({{"cp", 2}}), [](RankState& rank) {
    const at::Tensor triangle = at::ones({4, 4}, at::kBool).tril().narrow(0, 2 * rank.rank, 2);
    EXPECT_TRUE(at::equal(causal_mask(2, 4, "cp"), triangle));
    for (const int of : {0, 1}) EXPECT_TRUE(at::equal(causal_mask(2, 2, "cp", of), triangle.narrow(1, 2 * of, 2)));
  });
}

}  // namespace
}  // namespace ordercheck::ranks
