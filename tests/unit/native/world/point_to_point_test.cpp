#include "on_ranks.h"

// Tests of send, send_later and recv in native/world/collectives.h.
namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

const at::TensorOptions kMessage = at::TensorOptions().dtype(at::kDouble);

TEST(PointToPoint, CarriesBitsAlongARing) {
  for (const int ranks : {2, 3, 4, 8}) {
    complete(mesh_with({{"pp", ranks}}), [&](RankState& rank) {
      const int next = (rank.rank + 1) % ranks, previous = (rank.rank + ranks - 1) % ranks;
      for (int round = 0; round < 5; ++round) {
        jitter(rank.rank, round);
        const auto give = [&] { send(numbers({2, 3}, 10 * round + rank.rank), next, 7, "pp"); };
        const auto take = [&] {
          EXPECT_TRUE(same_bits(recv({2, 3}, kMessage, previous, 7, "pp"), numbers({2, 3}, 10 * round + previous)));
        };
        if (rank.rank == 0)
          give(), take();
        else
          take(), give();
      }
    });
  }
}

TEST(PointToPoint, MatchesByTagAndInOrder) {
  complete(mesh_with({{"pp", 2}}), [](RankState& rank) {
    if (rank.rank == 0) {
      send(numbers({2}, 1), 1, 1, "pp");
      send(numbers({2}, 2), 1, 2, "pp");
      send(numbers({2}, 3), 1, 1, "pp");
    } else {
      EXPECT_TRUE(same_bits(recv({2}, kMessage, 0, 1, "pp"), numbers({2}, 1)));
      EXPECT_TRUE(same_bits(recv({2}, kMessage, 0, 2, "pp"), numbers({2}, 2)));
      EXPECT_TRUE(same_bits(recv({2}, kMessage, 0, 1, "pp"), numbers({2}, 3)));
    }
  });
}

TEST(PointToPoint, KeepsDtypeAndTakesViews) {
  complete(mesh_with({{"pp", 2}}), [](RankState& rank) {
    for (const auto dtype : {at::kFloat, at::kLong, at::kBool}) {
      if (rank.rank == 0) send(numbers({4, 2}, 0, dtype).t(), 1, 0, "pp");
      if (rank.rank == 1)
        EXPECT_TRUE(same_bits(recv({2, 4}, at::TensorOptions().dtype(dtype), 0, 0, "pp"), numbers({4, 2}, 0, dtype).t()));
    }
  });
}

TEST(PointToPoint, SendsNoGraph) {
  complete(mesh_with({{"pp", 2}}), [](RankState& rank) {
    if (rank.rank == 0) send(numbers({2}, 0).requires_grad_() * 2, 1, 0, "pp");
    if (rank.rank == 1) EXPECT_FALSE(recv({2}, kMessage, 0, 0, "pp").requires_grad());
  });
}

TEST(PointToPoint, NamesBothSidesOfAWrongShape) {
  const WorldResult result = run(mesh_with({{"pp", 2}}), [](RankState& rank) {
    if (rank.rank == 0) send(numbers({4}, 0), 1, 5, "pp");
    if (rank.rank == 1) recv({2}, kMessage, 0, 5, "pp");
  });
  EXPECT_EQ(result.ending, Ending::failed);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->message,
            "rank 0 sent float64 [4] and rank 1 expects float64 [2] as message 0 from rank 0 to rank 1, tag 5, on pp");
}

TEST(PointToPoint, RefusesAPeerThatIsNotThere) {
  const WorldResult result = run(mesh_with({{"pp", 2}}), [](RankState& rank) { send(numbers({1}, 0), rank.rank, 0, "pp"); });
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_EQ(result.failure->message, "send to group rank 0 on pp: expected another rank of the group's 2");
  const WorldResult alone = run(mesh_with({{"tp", 2}}), [](RankState&) { recv({1}, kMessage, 1, 0, "pp"); });
  EXPECT_EQ(alone.failure->message, "receive from group rank 1 on pp: expected another rank of the group's 1");
}

TEST(PointToPoint, CountsMessages) {
  complete(mesh_with({{"pp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::forward);
    if (rank.rank == 0) send(numbers({4}, 0), 1, 0, "pp");
    if (rank.rank == 1) recv({4}, kMessage, 0, 0, "pp");
    EXPECT_THAT(rank.collectives(),
                testing::ElementsAre(CollectiveCount{rank.rank == 0 ? "send" : "recv", "pp", Phase::forward, 1, 32}));
    EXPECT_EQ(rank.counters.p2p_messages, 1);
    all_reduce(numbers({1}, 0), "pp");
    EXPECT_EQ(rank.counters.p2p_messages, 1);
  });
}

// Two ranks that both send first, and each of them twice, as neighbours in a pipeline do.
TEST(SendLater, WaitsForNobody) {
  complete(mesh_with({{"pp", 2}}), [](RankState& rank) {
    const int other = 1 - rank.rank;
    std::vector<c10::intrusive_ptr<c10d::Work>> sent;
    for (const int message : {0, 1}) sent.push_back(send_later(numbers({2, 3}, 10 * message + rank.rank), other, 4, "pp"));
    for (const int message : {0, 1})
      EXPECT_TRUE(same_bits(recv({2, 3}, kMessage, other, 4, "pp"), numbers({2, 3}, 10 * message + other)));
    for (const auto& work : sent) EXPECT_TRUE(work->wait());
    EXPECT_EQ(rank.counters.p2p_messages, 4);
  });
}

TEST(SendLater, TakesViewsAndSendsNoGraph) {
  complete(mesh_with({{"pp", 2}}), [](RankState& rank) {
    const at::Tensor leaf = numbers({4, 2}, 0).requires_grad_();
    if (rank.rank == 0) send_later((leaf * 2).t(), 1, 0, "pp")->wait();
    if (rank.rank == 1) {
      const at::Tensor got = recv({2, 4}, kMessage, 0, 0, "pp");
      EXPECT_TRUE(same_bits(got, (leaf.detach() * 2).t()));
      EXPECT_FALSE(got.requires_grad());
    }
  });
}

TEST(SendLater, MustBeTakenByTheEnd) {
  const WorldResult result = run(mesh_with({{"pp", 2}}), [](RankState& rank) {
    if (rank.rank == 0) send_later(numbers({2}, 0), 1, 0, "pp")->wait();
  });
  EXPECT_EQ(result.ending, Ending::deadlocked);
  EXPECT_EQ(result.failure->operation, "send");
}

TEST(SendLater, RefusesAPeerThatIsNotThere) {
  const WorldResult result = run(mesh_with({{"pp", 2}}), [](RankState&) { send_later(numbers({1}, 0), 2, 0, "pp"); });
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_EQ(result.failure->message, "send to group rank 2 on pp: expected another rank of the group's 2");
}

}  // namespace
}  // namespace ordercheck::ranks
