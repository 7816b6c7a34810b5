#include "native/world/current_module.h"

#include "native/world/thread_world.h"
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

// diagnose(): which of several things that are wrong at once is the cause.
using testing::HasSubstr;

struct AtRest {
  std::vector<std::unique_ptr<RankThread>> ranks;
  std::vector<std::shared_ptr<ThreadGroup>> groups{std::make_shared<ThreadGroup>()};

  // Two ranks that finished, in one group.
  AtRest() {
    groups[0]->name = "tp";
    groups[0]->ranks = {0, 1};
    for (int rank = 0; rank < 2; ++rank) {
      ranks.push_back(std::make_unique<RankThread>());
      ranks.back()->ended = true;
      ranks.back()->place.used = true;
      ranks.back()->place.finished = true;
    }
  }

  void issue(int rank, Offer offer) {
    std::shared_ptr<Rendezvous>& meeting = groups[0]->open[{Channel{}, 0}];
    if (!meeting) {
      meeting = std::make_shared<Rendezvous>();
      meeting->group = "tp";
      meeting->ranks = {0, 1};
      meeting->offers.resize(2);
    }
    meeting->offers[rank] = std::move(offer);
  }

  void wait(int rank) {
    RankThread& self = *ranks[rank];
    self.ended = false;
    self.awaited = groups[0]->open.at({Channel{}, 0});
    self.place.finished = false;
    self.place.operation = name_of(self.awaited->offers[rank]->operation);
    self.place.group = "tp";
    self.place.sequence = 0;
  }

  void throws(int rank, int step) {
    ranks[rank]->place.step = step;
    ranks[rank]->thrown = WorldResult{.ending = Ending::failed, .failure = Failure{.rank = rank, .message = "boom"}};
  }

  WorldResult cause() const { return diagnose(ranks, groups); }
};

const Offer kGather{.operation = Operation::all_gather};
const Offer kBarrier{.operation = Operation::barrier};

TEST(Diagnosis, NothingIsWrongWhenAllFinished) {
  const WorldResult result = AtRest().cause();
  EXPECT_EQ(result.ending, Ending::completed);
  EXPECT_FALSE(result.failure);
}

TEST(Diagnosis, FindsWhatNobodyJoined) {
  AtRest world;
  world.issue(1, kBarrier);
  EXPECT_EQ(world.cause().ending, Ending::failed);
  EXPECT_EQ(world.cause().failure->message, "rank 1 issued barrier as number 0 on tp and finished; rank 0 finished without it");
}

TEST(Diagnosis, PrefersARankThatWaits) {
  AtRest world;
  world.issue(1, kBarrier);
  world.wait(1);
  EXPECT_EQ(world.cause().ending, Ending::deadlocked);
  EXPECT_EQ(world.cause().failure->rank, 1);
  EXPECT_EQ(world.cause().failure->ranks.at(0), "rank 0: finished");
}

TEST(Diagnosis, PrefersADisagreementToAWait) {
  AtRest world;
  world.issue(0, kGather);
  world.issue(1, kBarrier);
  world.wait(1);
  EXPECT_EQ(world.cause().ending, Ending::failed);
  EXPECT_EQ(world.cause().failure->message, "rank 0 issued all_gather and rank 1 issued barrier as number 0 on tp");
}

TEST(Diagnosis, PrefersAnExceptionAndOfTwoTheEarlierStep) {
  AtRest world;
  world.issue(0, kGather);
  world.issue(1, kBarrier);
  world.throws(0, 5);
  EXPECT_EQ(world.cause().failure->rank, 0);
  world.throws(1, 4);
  EXPECT_EQ(world.cause().failure->rank, 1);
  world.throws(1, 5);
  EXPECT_EQ(world.cause().failure->rank, 0);
  EXPECT_EQ(world.cause().failure->ranks.size(), 2u);
}

}  // namespace
}  // namespace ordercheck::ranks
