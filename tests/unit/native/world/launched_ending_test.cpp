#include "native/world/launched_ending.h"

#include <csignal>

#include <gmock/gmock.h>

namespace ordercheck::ranks {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using How = LaunchedEnd::How;

// Three ranks at second 10 of a run: all heard of just now, each in the all_gather that it waits for since second 5.
class LaunchedEnding : public testing::Test {
 protected:
  LaunchedEnding() {
    for (HeardRank& rank : ranks_)
      rank = {.heard = now_,
              .changed = now_ - 5s,
              .beat = 100,
              .waiting = 1,
              .slot = {.used = true,
                       .step = 1,
                       .phase = Phase::forward,
                       .module = "layers.0",
                       .operation = "all_gather",
                       .group = "tp",
                       .sequence = 7},
              .end = {}};
  }

  std::optional<WorldResult> ending(bool launcher_ends = false) const { return ending_of(ranks_, now_, limit_, launcher_ends); }
  void time_is_up() { limit_ = now_; }

  void throws(int rank, int step, const std::string& message) {
    ranks_[rank].end =
        LaunchedEnd{.how = How::threw,
                    .step = step,
                    .where = "rank " + std::to_string(rank) + ": optimizer",
                    .thrown = WorldResult{.ending = Ending::failed, .failure = Failure{.rank = rank, .message = message}}};
  }
  void answers(int rank) { ranks_[rank].end = LaunchedEnd{.how = How::answered, .step = 2, .where = "rank: finished"}; }
  void dies(int rank, int status) { ranks_[rank].end = LaunchedEnd{.how = How::died, .status = status}; }

  const HeardRank::Time now_ = HeardRank::Time(100s);
  HeardRank::Time limit_ = now_ + 50s;
  std::vector<HeardRank> ranks_ = std::vector<HeardRank>(3);
};

TEST_F(LaunchedEnding, NothingWhileRanksGoOn) {
  EXPECT_FALSE(ending());
  answers(0);
  EXPECT_FALSE(ending());
}

TEST_F(LaunchedEnding, CompletedOnceAllHaveAnswered) {
  for (int rank : {0, 1, 2}) answers(rank);
  EXPECT_EQ(ending()->ending, Ending::completed);
}

TEST_F(LaunchedEnding, OfSeveralThatThrewTheLowestOfTheEarliestStep) {
  throws(0, 2, "late");
  throws(1, 1, "early");
  throws(2, 1, "early too");
  EXPECT_EQ(ending()->failure->message, "early");
}

TEST_F(LaunchedEnding, ARankThatThrewIsToldOnceTheOthersRest) {
  throws(1, 1, "no more");
  ranks_[0].changed = now_;
  EXPECT_FALSE(ending());
  ranks_[0].changed = now_ - 1s;
  ASSERT_TRUE(ending());
  EXPECT_EQ(ending()->ending, Ending::failed);
  EXPECT_THAT(ending()->failure->ranks, ElementsAre("rank 0: forward, layers.0, in all_gather #7 on tp", "rank 1: optimizer",
                                                    "rank 2: forward, layers.0, in all_gather #7 on tp"));
  ranks_[2].waiting = 2;  // it works
  EXPECT_FALSE(ending());
}

TEST_F(LaunchedEnding, AProcessThatWasKilledSaysNothingOfTheStack) {
  throws(0, 1, "Connection closed by peer");
  dies(2, SIGKILL);
  ASSERT_TRUE(ending());
  EXPECT_EQ(ending()->ending, Ending::killed);
  EXPECT_EQ(ending()->failure->rank, 2);
  EXPECT_EQ(ending()->failure->operation, "all_gather");
  EXPECT_EQ(ending()->failure->sequence, 7);
  EXPECT_THAT(ending()->failure->message, HasSubstr("was killed by signal 9"));
}

TEST_F(LaunchedEnding, AProcessThatCrashedOrExitedDied) {
  dies(1, SIGSEGV);
  EXPECT_EQ(ending()->ending, Ending::died);
  dies(1, 7 << 8);
  EXPECT_EQ(ending()->ending, Ending::died);
  EXPECT_EQ(ending()->failure->message, "the rank's process ended with exit code 7");
}

TEST_F(LaunchedEnding, AnErrorAfterAnothersSilenceIsOfTheSilence) {
  throws(0, 1, "Connection closed by peer");
  ranks_[2].heard = now_ - 1s;
  ranks_[2].changed = now_;
  EXPECT_FALSE(ending());
  ranks_[2].heard = now_ - 4s;
  ASSERT_TRUE(ending());
  EXPECT_EQ(ending()->ending, Ending::killed);
  EXPECT_EQ(ending()->failure->rank, 2);
}

TEST_F(LaunchedEnding, ARankThatSaidThatItWaitsAndIsGoneIsNotAtRest) {
  throws(0, 1, "Connection closed by peer");
  ranks_[2].heard = now_ - 400ms;
  EXPECT_FALSE(ending());
}

TEST_F(LaunchedEnding, AHostThatIsGoneIsLostWhenTheTimeIsUp) {
  ranks_[1].heard = ranks_[2].heard = now_ - 20s;
  EXPECT_FALSE(ending());
  time_is_up();
  ASSERT_TRUE(ending());
  EXPECT_EQ(ending()->ending, Ending::killed);
  EXPECT_THAT(ending()->failure->message, HasSubstr("rank 1, 2 has not been heard of"));
  EXPECT_EQ(ending()->failure->ranks.size(), 3u);
}

TEST_F(LaunchedEnding, TimeIsUpAtTheRankThatTheOthersWaitFor) {
  ranks_[1].slot.operation = "";
  ranks_[1].waiting = 2;
  ranks_[1].slot.module = "layers.1";
  time_is_up();
  ASSERT_TRUE(ending());
  EXPECT_EQ(ending()->ending, Ending::timed_out);
  EXPECT_EQ(ending()->failure->rank, 1);
  EXPECT_EQ(ending()->failure->module, "layers.1");
}

TEST_F(LaunchedEnding, TimeIsUpWhereAllWait) {
  ranks_[2].changed = now_ - 9s;
  time_is_up();
  EXPECT_EQ(ending()->failure->rank, 2);
  EXPECT_EQ(ending()->failure->group, "tp");
}

TEST_F(LaunchedEnding, OfALauncherThatEndsTheWorldTheRankWithoutAGoodbyeWasLost) {
  ranks_[0].end = LaunchedEnd{.how = How::sent_away};
  ranks_[1].heard = now_ - 1s;
  EXPECT_EQ(ending(true)->failure->rank, 1);
  EXPECT_EQ(ending(true)->ending, Ending::killed);
  ranks_[1].heard = now_;
  EXPECT_EQ(ending(true)->failure->rank, -1);
  EXPECT_THAT(ending(true)->failure->message, HasSubstr("SIGTERM"));
}

// The store answers nobody for 5 s: rank 2 said nothing in it, nor could it.
TEST_F(LaunchedEnding, AStoreThatIsHeldUpMakesNobodySilent) {
  throws(1, 1, "no more");
  ranks_[0].changed = now_;
  HeardRank::Time wall = now_;
  ListeningTime time(wall);
  const auto after = [&](std::chrono::milliseconds round) {
    time.begin_round(wall += round);
    return ending_of(ranks_, time.now(), time.of(limit_), false);
  };
  EXPECT_FALSE(after(5s));
  for (int round = 0; round < 27; ++round) EXPECT_FALSE(after(100ms)) << round;
  EXPECT_THAT(after(200ms)->failure->message, HasSubstr("rank 0, 2 has not been heard of for 3 s"));
}

// Whatever holds it up, a run has its limit.
TEST_F(LaunchedEnding, ALimitIsOfTheClockOnTheWall) {
  ListeningTime time(now_);
  time.begin_round(limit_ - 1ms);
  EXPECT_FALSE(ending_of(ranks_, time.now(), time.of(limit_), false));
  time.begin_round(limit_);
  EXPECT_EQ(ending_of(ranks_, time.now(), time.of(limit_), false)->ending, Ending::timed_out);
}

}  // namespace
}  // namespace ordercheck::ranks
