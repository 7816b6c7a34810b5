#include "rule/job.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(Job, KnowsTheSizesThatEveryEngineRunsUnlessOthersAreGiven) {
  EXPECT_EQ(Job().sizes, frozen_sizes());
  EXPECT_TRUE(Job({}, {}).sizes.empty());
}

TEST(Job, ASizeIsPositiveAFlagIsOneOrNot) {
  EXPECT_FALSE(range_of_size("heads").holds(0));
  EXPECT_TRUE(range_of_size("experts").holds(0));
  EXPECT_FALSE(range_of_size("tied").holds(2));
  EXPECT_EQ(in_words(range_of_size("tied")), "0 or 1");
}

}  // namespace
}  // namespace ordercheck
