#include "graph/placement.h"

#include <numeric>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;

const DeviceMesh kFour{{"tp", 4}};
const DeviceMesh kTwoByTwo{{"dp_shard", 2}, {"tp", 2}};

TEST(Placements, AreNamedInTheOrderOfTheMesh) { EXPECT_EQ(name_of(Placements{shard(1), replicate(), partial()}), "S(1)RP"); }

TEST(Placements, A11FiveOverFourLeaveTheLastRankEmptyAndAreNotValid) {
  EXPECT_THAT(local_sizes(5, 0, {shard(0)}, kFour), ElementsAre(0, 1, 2));
  EXPECT_FALSE(is_valid({5}, {shard(0)}, kFour));
  EXPECT_FALSE(is_valid({3}, {shard(0)}, kFour));
  EXPECT_TRUE(is_valid({7}, {shard(0)}, kFour)) << "2, 2, 2, 1";
  EXPECT_TRUE(is_valid({4}, {shard(0)}, kFour));
}

TEST(Placements, A11ADimThatTwoAxesShardIsCutByTheFirstFirst) {
  EXPECT_THAT(local_sizes(5, 0, {shard(0), shard(0)}, kTwoByTwo), ElementsAre(1, 2));
  EXPECT_TRUE(is_valid({5}, {shard(0), shard(0)}, kTwoByTwo)) << "3 and 2, then 2, 1 and 1, 1";
  EXPECT_FALSE(is_valid({3}, {shard(0), shard(0)}, kTwoByTwo)) << "2 and 1, and one cannot be cut";
  EXPECT_EQ(local_shape({5, 4}, {shard(0), shard(0)}, kTwoByTwo), (Shape{2, 4}));
}

TEST(Placements, AreValidOnlyForDimsAndAxesThatThereAre) {
  EXPECT_FALSE(is_valid({8}, {shard(1)}, kFour));
  EXPECT_FALSE(is_valid({8}, {shard(-1)}, kFour));
  EXPECT_FALSE(is_valid({8}, {shard(0), replicate()}, kFour));
  EXPECT_TRUE(is_valid({}, {replicate()}, kFour));
}

TEST(Placements, AreEvenWhereAllRanksHoldAsMuch) {
  EXPECT_TRUE(is_even({8, 3}, {shard(0)}, kFour));
  EXPECT_FALSE(is_even({7, 3}, {shard(0)}, kFour));
  EXPECT_TRUE(is_even({7, 3}, {partial()}, kFour));
}

TEST(Placements, AreCombinedOverAxesOfMoreThanOneRank) {
  const DeviceMesh mesh{{"dp_replicate", 1}, {"dp_shard", 2}, {"tp", 2}};
  EXPECT_EQ(combinations({replicate(), shard(0)}, mesh).size(), 4u);
  for (const Placements& each : combinations({shard(0)}, mesh)) EXPECT_EQ(each[0], replicate());
}

// What ranks hold, counted out, against the largest and the valid.
RC_GTEST_PROP(Placements, A11HoldEveryElementOnce, ()) {
  const std::int64_t size = *rc::gen::inRange(1, 40);
  const int ranks = *rc::gen::inRange(1, 9);
  const std::int64_t chunk = local_shape({size}, {shard(0)}, {{"tp", ranks}})[0];
  std::int64_t held = 0;
  bool empty = false;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t own = std::max<std::int64_t>(0, std::min(chunk, size - rank * chunk));
    empty = empty || own == 0;
    held += own;
  }
  RC_ASSERT(held == size);
  RC_ASSERT(is_valid({size}, {shard(0)}, {{"tp", ranks}}) == !empty);
}

}  // namespace
}  // namespace ordercheck::placing
