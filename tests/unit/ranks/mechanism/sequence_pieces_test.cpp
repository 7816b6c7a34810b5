#include "ranks/mechanism/sequence_pieces.h"

#include "unit/ranks/comm/on_ranks.h"

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
