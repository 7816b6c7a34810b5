#include "graph/planner/rules.h"

#include <gmock/gmock.h>

#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PairedNodes, A5AreParametersInputsAndOutputsWithTheirGradients) {
  GraphBuilder builder;
  const int weight = builder.parameter({4}), x = builder.input({4});
  builder.output(builder.op("aten::mul", {weight, x}, {4}));
  const int tangent = builder.tangent({4});
  builder.gradient(builder.op("aten::mul", {tangent, x}, {4}), 0);
  EXPECT_THAT(paired_nodes(builder.graph()), ElementsAre(std::pair(0, 6), std::pair(3, 4)));
}

JointGraph cast_graph(int before, int after, bool two_users) {
  GraphBuilder builder;
  const int weight = builder.parameter({4, 8});
  builder.set_bytes(weight, before);
  const int turned = builder.op("aten::t", {weight}, {8, 4});
  builder.set_bytes(turned, before);
  const int cast = builder.op("aten::_to_copy", {turned}, {8, 4}, {"15"});
  builder.set_bytes(cast, after);
  builder.output(builder.op("aten::silu", {cast}, {8, 4}));
  if (two_users) builder.output(turned);
  return builder.graph();
}

TEST(EdgesThatStay, A13AreThoseBeforeACastOfAParameterToFewerBytes) {
  EXPECT_THAT(edges_that_stay(cast_graph(4, 2, false)), ElementsAre(Edge(1, 0), Edge(2, 0)));
  EXPECT_THAT(edges_that_stay(cast_graph(2, 4, false)), IsEmpty()) << "gathered as it is stored";
  EXPECT_THAT(edges_that_stay(cast_graph(4, 4, false)), IsEmpty());
  EXPECT_THAT(edges_that_stay(cast_graph(4, 2, true)), IsEmpty()) << "another user may want it elsewhere";
}

TEST(EdgesThatStay, A13AreThoseBeforeACastOfAGradientToMoreBytes) {
  GraphBuilder builder;
  builder.parameter({4, 4});
  const int tangent = builder.tangent({4, 4});
  const int product = builder.op("aten::mm", {tangent, tangent}, {4, 4}), turned = builder.op("aten::t", {product}, {4, 4});
  const int cast = builder.op("aten::_to_copy", {turned}, {4, 4}, {"6"});
  for (const int value : {tangent, product, turned}) builder.set_bytes(value, 2);
  builder.set_bytes(cast, 4);
  builder.gradient(cast, 0);
  EXPECT_THAT(edges_that_stay(builder.graph()), ElementsAre(Edge(3, 0), Edge(4, 0)));
}

TEST(HeldShare, A6IsOfTheLargestShard) {
  const DeviceMesh mesh{{"dp_shard", 4}};
  EXPECT_EQ(held_share({8, 3}, {shard(0)}, mesh), kWhole / 4);
  EXPECT_EQ(held_share({7}, {shard(0)}, mesh), 285714);
  EXPECT_EQ(held_share({7}, {replicate()}, mesh), kWhole);
}

TEST(ShareBounds, A6AreRaisedByWhatCannotBeCut) {
  const ShareBounds sums = share_bounds({.low = 0.0, .high = 0.25}, {kWhole / 4, kWhole / 2, kWhole});
  EXPECT_EQ(sums.low, kWhole / 4 + kWhole / 2 + kWhole);
  EXPECT_EQ(sums.high, kWhole / 4 + kWhole / 2 + kWhole);
  EXPECT_EQ(share_bounds({.low = 0.5, .high = 1}, {kWhole / 4}).low, kWhole / 2);
  EXPECT_EQ(share_bounds({}, {kWhole / 4}).low, 0);
}

}  // namespace
}  // namespace ordercheck::placing
