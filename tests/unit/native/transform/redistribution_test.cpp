#include "native/transform/redistribution.h"

#include "graph/costs.h"
#include "native/module/placement.h"
#include "unit/native/graph/both_ways.h"
#include "unit/native/transform/on_device_mesh.h"

namespace ordercheck::ranks {
namespace {

using placing::DeviceMesh;
using placing::Shape;
using Kind = placing::Placement::Kind;

at::Tensor whole_of(const Shape& shape) { return numbers(shape, 0).floor(); }

// A piece of it; of a partial sum a summand, the first of which is what the others leave.
at::Tensor piece_of(const Shape& shape, const placing::Placements& placements, const DeviceMesh& mesh, const RankState& rank) {
  at::Tensor value = whole_of(shape);
  Placements shards;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    const int count = mesh[axis].size, place = group_rank(mesh[axis].name);
    if (placements[axis].kind == Kind::shard) shards.push_back({.axis = mesh[axis].name, .dim = placements[axis].dim});
    if (placements[axis].kind == Kind::partial) value = place == 0 ? value * (2 - count) : value;
  }
  return local_piece(value, shards, rank.mesh, rank.rank);
}

std::vector<placing::Placements> all_placements(const Shape& shape, const DeviceMesh& mesh, bool with_partial) {
  std::vector<placing::Placement> choices{placing::replicate()};
  if (with_partial) choices.push_back(placing::partial());
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim) choices.push_back(placing::shard(dim));
  std::vector<placing::Placements> valid;
  for (const placing::Placements& each : placing::combinations(choices, mesh)) {
    if (placing::is_valid(shape, each, mesh)) valid.push_back(each);
  }
  return valid;
}

// Even and uneven dims, and two axes that shard one.
const std::vector<Shape> kShapes{{8, 12}, {7, 5}, {5, 4, 6}, {9}};
const std::vector<DeviceMesh> kMeshes{{{"dp_shard", 2}},
                                      {{"dp_shard", 3}},
                                      {{"dp_shard", 2}, {"tp", 2}},
                                      {{"dp_shard", 3}, {"tp", 2}},
                                      {{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}}};

TEST(Redistribution, EveryWayGivesThePieceOfTheSameTensor) {
  int ways = 0;
  for (const DeviceMesh& mesh : kMeshes) {
    complete(ranks_of(mesh), [&](RankState& rank) {
      for (const Shape& shape : kShapes) {
        for (const placing::Placements& from : all_placements(shape, mesh, true)) {
          for (const placing::Placements& to : all_placements(shape, mesh, false)) {
            ASSERT_TRUE(placing::route(from, to).possible);
            const at::Tensor moved = redistribute(piece_of(shape, from, mesh, rank), shape, from, to, mesh);
            const at::Tensor expected = piece_of(shape, to, mesh, rank).contiguous();
            EXPECT_TRUE(same_bits(moved.contiguous(), expected))
                << placing::name_of(from) << " to " << placing::name_of(to) << ", rank " << rank.rank;
            if (rank.rank == 0) ++ways;
          }
        }
      }
    });
  }
  EXPECT_GT(ways, 500);
}

TEST(Redistribution, NothingMovesWhereNothingChanges) {
  const DeviceMesh mesh{{"dp_shard", 2}};
  complete(ranks_of(mesh), [&](RankState& rank) {
    const at::Tensor piece = numbers({2, 3}, rank.rank);
    EXPECT_TRUE(redistribute(piece, {4, 3}, {placing::shard(0)}, {placing::shard(0)}, mesh).is_same(piece));
    EXPECT_TRUE(rank.collectives().empty());
  });
}

TEST(Redistribution, OfOneAxisIsOneCollective) {
  const DeviceMesh mesh{{"dp_shard", 2}};
  const std::vector<std::tuple<placing::Placement, placing::Placement, std::string>> kOne{
      {placing::shard(0), placing::replicate(), "all_gather"},
      {placing::partial(), placing::replicate(), "all_reduce"},
      {placing::partial(), placing::shard(1), "reduce_scatter"},
      {placing::shard(0), placing::shard(1), "all_to_all"}};
  for (const auto& [from, to, kind] : kOne) {
    complete(ranks_of(mesh), [&, from = from, to = to, kind = kind](RankState& rank) {
      redistribute(piece_of({8, 12}, {from}, mesh, rank), {8, 12}, {from}, {to}, mesh);
      ASSERT_EQ(rank.collectives().size(), 1U);
      EXPECT_EQ(rank.collectives().front().kind, kind);
      EXPECT_EQ(rank.collectives().front().count, 1);
    });
  }
}

// Two axes that change alike talk once; where ranks hold unequal pieces, or axes change each in its own way, they talk one by one.
TEST(Redistribution, A12OfAxesThatChangeAlikeIsOneCollective) {
  const DeviceMesh mesh{{"dp_shard", 2}, {"tp", 2}};
  const placing::Placements shards{placing::shard(0), placing::shard(0)}, whole{placing::replicate(), placing::replicate()},
      sums{placing::partial(), placing::partial()}, mixed{placing::shard(0), placing::shard(1)};
  const std::vector<std::tuple<placing::Placements, placing::Placements, Shape, std::size_t>> kWays{
      {shards, whole, {8, 12}, 1}, {sums, whole, {8, 12}, 1},  {sums, shards, {8, 12}, 1},
      {shards, whole, {7, 12}, 2}, {mixed, whole, {8, 12}, 2}, {sums, mixed, {8, 12}, 2}};
  for (const auto& [from, to, shape, collectives] : kWays) {
    complete(ranks_of(mesh), [&, from = from, to = to, shape = shape, collectives = collectives](RankState& rank) {
      redistribute(piece_of(shape, from, mesh, rank), shape, from, to, mesh);
      std::int64_t sent = 0;
      for (const CollectiveCount& count : rank.collectives()) sent += count.count;
      EXPECT_EQ(static_cast<std::size_t>(sent), collectives) << placing::name_of(from) << " to " << placing::name_of(to);
    });
  }
}

TEST(Redistribution, NothingLeadsToAPartialSum) {
  const DeviceMesh mesh{{"dp_shard", 2}};
  complete(ranks_of(mesh), [&](RankState&) {
    EXPECT_THROW(redistribute(numbers({4, 3}, 0), {4, 3}, {placing::replicate()}, {placing::partial()}, mesh),
                 std::runtime_error);
  });
}

TEST(PieceSizes, AreThoseOfTheChunksInTheOrderOfTheMesh) {
  const DeviceMesh mesh{{"dp_shard", 2}, {"tp", 2}};
  complete(ranks_of(mesh), [&](RankState& rank) {
    const Shape sizes = piece_sizes({7, 4}, {placing::shard(0), placing::shard(0)}, mesh);
    EXPECT_EQ(sizes, (Shape{std::vector<int64_t>{2, 2, 2, 1}[static_cast<std::size_t>(rank.rank)], 4}));
  });
}

using testing::HasSubstr;

// The only node of a computation of one operator.
Node recorded(const Recorded& computation, const std::vector<at::Tensor>& inputs) {
  const GraphPtr graph = record("", computation, inputs, {});
  EXPECT_EQ(graph->forward.size(), 1U);
  return graph->forward.back();
}

TEST(RunOnPieces, TellsAnOperatorTheSizesOfThePiece) {
  const Node view = recorded([](const auto& in) { return in[0].view({8, 3, 4}); }, {numbers({8, 12}, 0)});
  const auto made = run_on_pieces(view, {numbers({4, 12}, 1)}, {{4, 3, 4}});
  EXPECT_TRUE(same_bits(made.at(0), numbers({4, 12}, 1).view({4, 3, 4})));
}

TEST(RunOnPieces, CopiesWhereThePieceDoesNotLieAsTheWholeDid) {
  const Node view = recorded([](const auto& in) { return in[0].view({96}); }, {numbers({8, 12}, 0)});
  const at::Tensor piece = numbers({12, 4}, 1).t();
  EXPECT_TRUE(same_bits(run_on_pieces(view, {piece}, {{48}}).at(0), piece.reshape({48})));
}

TEST(RunOnPieces, HandsListsOn) {
  const Node cat =
      recorded([](const auto& in) { return at::cat({in[0], in[1]}, 1); }, {numbers({4, 3}, 0), numbers({4, 5}, 1)});
  const at::Tensor a = numbers({2, 3}, 2), b = numbers({2, 5}, 3);
  EXPECT_TRUE(same_bits(run_on_pieces(cat, {a, b}, {{2, 8}}).at(0), at::cat({a, b}, 1)));
}

TEST(RunOnPieces, RefusesAResultOfOtherSizes) {
  const Node add = recorded([](const auto& in) { return in[0] + in[0]; }, {numbers({4, 3}, 0)});
  try {
    run_on_pieces(add, {numbers({2, 3}, 0), numbers({2, 3}, 0)}, {{4, 3}});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("aten::add on a piece: expected a result of [4, 3], got [2, 3]"));
  }
}

}  // namespace
}  // namespace ordercheck::ranks
