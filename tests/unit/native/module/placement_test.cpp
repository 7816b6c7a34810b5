#include "native/module/placement.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;

Placement shard(const std::string& axis, int64_t dim) { return {.axis = axis, .dim = dim}; }
Placement replicate(const std::string& axis) { return {.axis = axis, .kind = Placement::Kind::replicate}; }

TEST(Placement, ChunksAreCutAsTorchCutsThem) {
  for (const int64_t size : {1, 5, 6, 7, 24}) {
    for (const int count : {1, 2, 3, 4}) {
      const auto chunks = at::arange(size).chunk(count);
      for (int i = 0; i < count; ++i) {
        const Span span = chunk_of(size, count, i);
        const int64_t expected = i < static_cast<int>(chunks.size()) ? chunks[i].size(0) : 0;
        EXPECT_EQ(span.length, expected) << size << " in " << count << ", part " << i;
        if (expected) EXPECT_EQ(span.start, chunks[i][0].item<int64_t>());
      }
    }
  }
}

class Assemble : public testing::TestWithParam<Placements> {};

TEST_P(Assemble, PiecesMakeTheWhole) {
  const Mesh mesh{.degrees = {1, 1, 2, 1, 3}};
  const at::Tensor full = at::arange(60).view({12, 5});
  const at::Tensor joined =
      assemble(GetParam(), mesh, every_rank(mesh), [&](int rank) { return local_piece(full, GetParam(), mesh, rank); });
  EXPECT_TRUE(at::equal(full, joined)) << print(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Layouts, Assemble,
                         testing::Values(Placements{}, Placements{shard("tp", 0)}, Placements{shard("tp", 1)},
                                         Placements{shard("tp", 0), shard("dp_shard", 0)},
                                         Placements{shard("dp_shard", 0), shard("tp", 0)},
                                         Placements{shard("tp", 1), shard("dp_shard", 0)}, Placements{replicate("tp")},
                                         Placements{replicate("tp"), shard("dp_shard", 0)},
                                         Placements{shard("dp_shard", 1), replicate("tp")}));

// Several axes as one, and those that are carved from several.
TEST(Placement, JoinedAndCarvedAxesMakeTheWholeToo) {
  const Mesh mesh{.degrees = {1, 1, 2, 3, 2}, .ep = 4};
  const at::Tensor full = at::arange(24 * 5).view({24, 5});
  for (const Placements& placements :
       {Placements{shard("dp_shard+cp", 0)}, Placements{shard("tp", 0), shard("dp_shard+cp", 0)},
        Placements{shard("ep", 0), shard("edp", 0)}, Placements{shard("ep", 0), shard("edp", 1)}}) {
    const at::Tensor joined =
        assemble(placements, mesh, every_rank(mesh), [&](int rank) { return local_piece(full, placements, mesh, rank); });
    EXPECT_TRUE(at::equal(full, joined)) << print(placements);
  }
}

// Tensor parallelism first, data parallelism inside its pieces: not the order of the mesh.
TEST(Placement, ALaterAxisSplitsWhatTheEarlierLeft) {
  const Mesh mesh{.degrees = {1, 1, 2, 1, 2}};
  const at::Tensor full = at::arange(8);
  const Placements tp_first{shard("tp", 0), shard("dp_shard", 0)};
  EXPECT_TRUE(at::equal(local_piece(full, tp_first, mesh, /*dp 0, tp 1*/ 1), at::tensor({4, 5}, at::kLong)));
  EXPECT_TRUE(at::equal(local_piece(full, tp_first, mesh, /*dp 1, tp 0*/ 2), at::tensor({2, 3}, at::kLong)));
}

TEST(Placement, PartialAxesAreSummed) {
  const Mesh mesh{.degrees = {1, 1, 1, 1, 3}};
  const at::Tensor sum = assemble({{.axis = "tp", .kind = Placement::Kind::partial}}, mesh, every_rank(mesh),
                                  [](int rank) { return at::full({2}, rank + 1, at::kLong); });
  EXPECT_TRUE(at::equal(sum, at::full({2}, 6, at::kLong)));
}

TEST(Placement, OfReplicasEachRankHoldsAll) {
  const Mesh mesh{.degrees = {1, 2, 1, 1, 2}};
  const at::Tensor full = at::arange(4);
  for (const int rank : every_rank(mesh)) {
    EXPECT_TRUE(at::equal(local_piece(full, {replicate("tp")}, mesh, rank), full));
    const at::Tensor half = full.narrow(0, rank % 2 * 2, 2);
    EXPECT_TRUE(at::equal(local_piece(full, {replicate("dp_replicate"), shard("tp", 0)}, mesh, rank), half));
  }
}

// Which ranks are asked for their pieces, in order; every rank's piece is its number.
std::vector<int> asked(const Placements& placements, const Mesh& mesh, const std::vector<int>& holders) {
  std::vector<int> ranks;
  const at::Tensor joined = assemble(placements, mesh, holders, [&](int rank) {
    ranks.push_back(rank);
    return at::full({1}, rank, at::kLong);
  });
  const bool is_sharded = print(placements).find("shard(") != std::string::npos;
  EXPECT_EQ(joined.numel(), is_sharded ? static_cast<int64_t>(ranks.size()) : 1) << print(placements);
  return ranks;
}

// Replicas are not added up, and axes that nobody names are not looked at.
TEST(Placement, OneReplicaIsAsked) {
  const Mesh mesh{.degrees = {1, 2, 1, 1, 3}};
  const std::vector<int> all = every_rank(mesh);
  EXPECT_THAT(asked({}, mesh, all), ElementsAre(0));
  EXPECT_THAT(asked({replicate("tp")}, mesh, all), ElementsAre(0));
  EXPECT_THAT(asked({replicate("dp_replicate"), shard("tp", 0)}, mesh, all), ElementsAre(0, 1, 2));
  EXPECT_THAT(asked({shard("tp", 0)}, mesh, all), ElementsAre(0, 1, 2));
  EXPECT_THAT(asked({shard("dp_replicate", 0), replicate("tp")}, mesh, all), ElementsAre(0, 3));
}

// The second stage of a pipeline has parameters that the first does not.
TEST(Placement, OnlyHoldersAreAsked) {
  const Mesh mesh{.degrees = {2, 1, 1, 1, 2}};
  EXPECT_THAT(asked({}, mesh, {2, 3}), ElementsAre(2));
  EXPECT_THAT(asked({shard("tp", 0)}, mesh, {2, 3}), ElementsAre(2, 3));
  EXPECT_THAT(asked({replicate("tp")}, mesh, {2, 3}), ElementsAre(2));
  for (const std::vector<int>& too_few : {std::vector<int>{}, {2}}) {
    try {
      asked({shard("tp", 0)}, mesh, too_few);
      FAIL() << "put together from " << too_few.size();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no rank holds a piece placed tp: shard(0)");
    }
  }
}

TEST(Placement, IsOverAnAxisAlsoAsOneOfSeveral) {
  const Placements placements{shard("tp", 0), shard("dp_shard+cp", 0), replicate("dp_replicate")};
  for (const char* axis : {"tp", "dp_shard", "cp", "dp_shard+cp", "dp_replicate"})
    EXPECT_TRUE(is_placed_over(placements, axis)) << axis;
  for (const char* axis : {"pp", "ep", "edp", "dp"}) EXPECT_FALSE(is_placed_over(placements, axis)) << axis;
  EXPECT_FALSE(is_placed_over({shard("edp", 0)}, "ep"));
  EXPECT_FALSE(is_placed_over({}, "tp"));
}

TEST(Placement, Prints) {
  EXPECT_EQ(print(Placements{}), "replicated");
  EXPECT_EQ(print(Placements{shard("tp", 0), {.axis = "dp_shard", .kind = Placement::Kind::partial}}),
            "tp: shard(0), dp_shard: partial");
  EXPECT_EQ(print(Placements{replicate("tp"), shard("dp_shard+cp", 1)}), "tp: replicate, dp_shard+cp: shard(1)");
}

}  // namespace
}  // namespace ordercheck::ranks
