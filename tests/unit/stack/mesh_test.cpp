#include "stack/mesh.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

Mesh mesh(const char* stack) { return mesh_of(*parse_stack(stack)); }

TEST(MeshOf, PutsAxesInTheirOwnOrder) {
  EXPECT_THAT(mesh("fsdp=4,cp=2,tp=8,pp=3").degrees, ElementsAre(3, 1, 4, 2, 8));
  EXPECT_EQ(mesh("fsdp=4,tp=8"), mesh("tp=8,fsdp=4"));
}

TEST(MeshOf, HsdpReplicatesAndShards) { EXPECT_THAT(mesh("hsdp=2x4").degrees, ElementsAre(1, 2, 4, 1, 1)); }

TEST(MeshOf, AnOptionCanSizeAnAxis) {
  EXPECT_THAT(mesh("auto_parallel=2").degrees, ElementsAre(1, 1, 2, 1, 1));
  EXPECT_THAT(mesh("auto_parallel=2:replicas=3:tp=4").degrees, ElementsAre(1, 3, 2, 1, 4));
  EXPECT_THAT(mesh("tp=2,auto_parallel=1:tp=4").degrees, ElementsAre(1, 1, 1, 1, 8));
}

TEST(MeshOf, ReplicateTakesTheAxisOfDdp) { EXPECT_THAT(mesh("replicate=4").degrees, ElementsAre(1, 4, 1, 1, 1)); }

TEST(MeshOf, AMissingDegreeRunsAsTwo) {
  EXPECT_THAT(mesh("tp,fsdp").degrees, ElementsAre(1, 1, 2, 1, 2));
  EXPECT_THAT(mesh("hsdp").degrees, ElementsAre(1, 2, 2, 1, 1));
}

TEST(MeshOf, WhatHasNoAxisTakesNoRank) {
  EXPECT_EQ(mesh("ac,compile,amp=bf16,optimizer"), Mesh{});
  EXPECT_EQ(world_size(mesh("ep=4")), 1);
  EXPECT_EQ(mesh(""), Mesh{});
}

TEST(MeshOf, AStrangerSizesNoAxis) { EXPECT_EQ(mesh_of({{{.name = "courier", .degrees = {{4}}}}}), Mesh{}); }

TEST(MeshOf, ItemsOnOneAxisMultiply) { EXPECT_THAT(mesh("fsdp=2,simple_fsdp=3").degrees, ElementsAre(1, 1, 6, 1, 1)); }

TEST(WorldSize, IsTheProduct) {
  EXPECT_EQ(world_size(mesh("pp=3,hsdp=2x4,tp=2")), 48);
  EXPECT_EQ(world_size(Mesh{}), 1);
}

TEST(WorldSize, StopsAtTheEndOfAnInt) {
  EXPECT_EQ(world_size(mesh("pp=1000000,fsdp=1000000,tp=1000000")), std::numeric_limits<int>::max());
  EXPECT_EQ(degree_of(mesh("fsdp=1000000,simple_fsdp=1000000"), "dp_shard"), std::numeric_limits<int>::max());
}

TEST(DegreeOf, IsOneForWhatTheMeshDoesNotSize) {
  EXPECT_EQ(degree_of(mesh("tp=8"), "tp"), 8);
  EXPECT_EQ(degree_of(mesh("tp=8"), "pp"), 1);
}

TEST(DegreeOf, SeveralAxesAsOne) {
  EXPECT_EQ(degree_of(mesh("fsdp=2,cp=3"), "dp_shard+cp"), 6);
  EXPECT_EQ(degree_of(mesh("fsdp=2"), "dp_shard+cp"), 2);
  EXPECT_EQ(degree_of(mesh("fsdp=2"), ""), 1);
}

// dp_shard * cp * tp: neighbours hold different experts, what is left of them holds the same ones.
TEST(Experts, AreCarvedFromWhatSplitsTokensAndTensors) {
  const Mesh m = mesh("ep=4,fsdp=2,cp=2,tp=2");
  EXPECT_TRUE(carves_evenly(m));
  EXPECT_EQ(degree_of(m, "ep"), 4);
  EXPECT_EQ(degree_of(m, "edp"), 2);
  EXPECT_THAT(ranks_along(m, 0, "ep"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ranks_along(m, 6, "edp"), ElementsAre(2, 6));
  EXPECT_FALSE(carves_evenly(mesh("ep=3,fsdp=2")));
}

// With experts that are split over tp too, its ranks hold parts of the same ones.
TEST(Experts, ThatAreSplitOverTpAreCarvedFromTheRest) {
  const Mesh m = mesh("ep=2:etp=2,fsdp=2,tp=2");
  EXPECT_EQ(degree_of(m, "edp"), 1);
  EXPECT_THAT(ranks_along(m, 1, "ep"), ElementsAre(1, 3));
}

TEST(Experts, OfReplicasAreOfTheirOwn) { EXPECT_THAT(ranks_along(mesh("ep=2,hsdp=2x4"), 5, "edp"), ElementsAre(5, 7)); }

TEST(WithSequenceAxes, JoinsWhatSplitsTheSequence) {
  EXPECT_EQ(with_sequence_axes(mesh("fsdp=2,cp=2"), "dp_shard"), "dp_shard+cp");
  EXPECT_EQ(with_sequence_axes(mesh("fsdp=2,tp=2"), "dp_shard"), "dp_shard");
}

TEST(Coordinates, LastAxisVariesFastest) {
  const Mesh m = mesh("pp=2,fsdp=3,tp=4");
  EXPECT_THAT(coordinates(m, 0), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(coordinates(m, 1), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(coordinates(m, 4), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(coordinates(m, 23), ElementsAre(1, 0, 2, 0, 3));
}

TEST(GroupName, JoinsTheAxesThatAreWide) {
  EXPECT_EQ(group_name(mesh("fsdp=2,cp=2,tp=2"), {"dp_shard", "cp"}), "dp_shard+cp");
  EXPECT_EQ(group_name(mesh("fsdp=2,tp=2"), {"dp_shard", "cp"}), "dp_shard");
  EXPECT_EQ(group_name(mesh("fsdp=2,cp=2"), {"dp_shard", "cp"}), "world");
  EXPECT_EQ(group_name(mesh("fsdp=2"), {"dp_shard", "cp"}), "dp_shard") << "of one axis its name is the better one";
  EXPECT_EQ(group_name(mesh("tp=2"), {"dp_shard", "cp"}), "");
}

TEST(GroupOf, VariesTheNamedAxesOnly) {
  const Mesh m = mesh("pp=2,fsdp=2,tp=2");
  EXPECT_THAT(group_of(m, 5, {"tp"}), ElementsAre(4, 5));
  EXPECT_THAT(group_of(m, 5, {"dp_shard"}), ElementsAre(5, 7));
  EXPECT_THAT(group_of(m, 5, {"pp"}), ElementsAre(1, 5));
  EXPECT_THAT(group_of(m, 5, {"tp", "pp"}), ElementsAre(0, 1, 4, 5)) << "in mesh order, however the axes are named";
  EXPECT_THAT(group_of(m, 5, {"cp"}), ElementsAre(5));
  EXPECT_THAT(group_of(m, 5, {}), ElementsAre(5));
}

TEST(GroupOf, GroupsOfOneAxisDivideTheWorld) {
  const Mesh m = mesh("pp=2,hsdp=2x3,cp=2,tp=2");
  for (const std::string_view axis : kMeshAxes) {
    std::vector<int> members(static_cast<std::size_t>(world_size(m)));
    for (int rank = 0; rank < world_size(m); ++rank) {
      const std::vector<int> group = group_of(m, rank, {std::string(axis)});
      EXPECT_THAT(group, testing::Contains(rank));
      if (group.front() == rank)
        for (const int member : group) ++members[static_cast<std::size_t>(member)];
    }
    EXPECT_THAT(members, testing::Each(1)) << axis;
  }
}

}  // namespace
}  // namespace ordercheck
