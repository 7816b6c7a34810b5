#include "native/transform/sequence_pieces.h"

#include <fmt/format.h>

#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

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
