#include "ranks/comm/blame.h"

#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

TEST(Blame, IsTheRunningModulesUnlessAScopeSaysOtherwise) {
  complete(Mesh{}, [](RankState& rank) {
    EXPECT_EQ(blamed_module(rank), "");
    rank.enter_module("layers.0");
    EXPECT_EQ(blamed_module(rank), "layers.0");
    {
      const BlameScope outer("layers.1");
      EXPECT_EQ(blamed_module(rank), "layers.1");
      {
        const BlameScope inner("layers.2");
        EXPECT_EQ(blamed_module(rank), "layers.2");
      }
      EXPECT_EQ(blamed_module(rank), "layers.1");
      rank.enter_module("layers.3");  // a recomputation inside backward
      EXPECT_EQ(blamed_module(rank), "layers.3");
      rank.leave_module();
      EXPECT_EQ(blamed_module(rank), "layers.1");
    }
    EXPECT_EQ(blamed_module(rank), "layers.0");
    rank.leave_module();
  });
}

TEST(Blame, PlacesSayStepPhaseAndModule) {
  complete(Mesh{}, [](RankState& rank) {
    rank.set_phase(4, Phase::backward);
    const BlameScope scope("norm");
    const FlightSlot place = place_of(rank);
    EXPECT_TRUE(place.used);
    EXPECT_EQ(place.step, 4);
    EXPECT_EQ(place.phase, Phase::backward);
    EXPECT_EQ(place.module, "norm");
  });
}

}  // namespace
}  // namespace ordercheck::ranks
