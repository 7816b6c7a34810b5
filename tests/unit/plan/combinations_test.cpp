#include "plan/combinations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::ElementsAre;

TEST(Combinations, EachIsAskedForOnceAndFoundAgain) {
  std::vector<Combination> asked;
  const Combinations all({2, 3}, [&](const Combination& one) {
    asked.push_back(one);
    return one[0] != 1 || one[1] != 2;
  });
  EXPECT_THAT(asked, ElementsAre(Combination{0, 0}, Combination{0, 1}, Combination{0, 2}, Combination{1, 0}, Combination{1, 1},
                                 Combination{1, 2}));
  EXPECT_EQ(all.allowed_count(), 5u);
  EXPECT_FALSE(all.allows({1, 2}));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all.index_of(all.at(i)), i);
}

TEST(Combinations, AreCountedBeforeTheyAreMade) {
  EXPECT_EQ(count_of_combinations({2, 3, 4}), 24u);
  EXPECT_EQ(count_of_combinations(std::vector<int>(40, 9)), Combinations::kMost + 1);
}

TEST(Combinations, ChoicesAreLexicographic) {
  using Choice = std::vector<std::size_t>;
  EXPECT_THAT(choices(4, 2), ElementsAre(Choice{0, 1}, Choice{0, 2}, Choice{0, 3}, Choice{1, 2}, Choice{1, 3}, Choice{2, 3}));
  EXPECT_THAT(choices(3, 3), ElementsAre(Choice{0, 1, 2}));
  EXPECT_TRUE(choices(2, 3).empty());
  EXPECT_EQ(choices(8, 3).size(), 56u);
}

}  // namespace
}  // namespace ordercheck
