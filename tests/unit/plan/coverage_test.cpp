#include "plan/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Combinations without_ones() {  // of three parameters no two are 1
  return {{2, 2, 2}, [](const Combination& one) { return one[0] + one[1] + one[2] < 2; }};
}

TEST(Coverage, CountsWhatIsHeldWhatIsMissingAndWhatIsRuledOut) {
  EXPECT_EQ(coverage_of({{0, 0, 0}, {1, 0, 0}}, without_ones(), 2),
            (Coverage{.strength = 2, .feasible = 9, .covered = 5, .ruled_out = 3, .rows = 2}));
  EXPECT_EQ(coverage_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, without_ones(), 2).covered, 9u);
  EXPECT_EQ(coverage_of({}, without_ones(), 3), (Coverage{.strength = 3, .feasible = 4, .ruled_out = 4}));
}

TEST(Coverage, ARowThatIsRuledOutCoversNothing) {
  const Coverage coverage = coverage_of({{1, 1, 0}}, without_ones(), 2);
  EXPECT_EQ(coverage.covered, 0u);
  EXPECT_EQ(coverage.rows, 0u);
}

TEST(Coverage, ALevelThatOnlyGoesWithWhatIsRuledOutIsNotFeasible) {
  // The pair (1, 1) of the last two is allowed by itself, but no level of the first goes with it.
  const Combinations all({2, 2, 2}, [](const Combination& one) { return !(one[1] == 1 && one[2] == 1); });
  EXPECT_EQ(coverage_of({}, all, 2).ruled_out, 1u);
}

TEST(Coverage, WhatRulesOutIsSaidInAsFewParametersAsItTakes) {
  EXPECT_THAT(least_ruled_out(without_ones()), UnorderedElementsAre(Partial{1, 1, -1}, Partial{1, -1, 1}, Partial{-1, 1, 1}));
  const Combinations no_zero({2, 3}, [](const Combination& one) { return one[0] != 0; });
  EXPECT_THAT(least_ruled_out(no_zero), ElementsAre(Partial{0, -1}));
  const Combinations one_of_eight({2, 2, 2}, [](const Combination& one) { return one != Combination{1, 0, 1}; });
  EXPECT_THAT(least_ruled_out(one_of_eight), ElementsAre(Partial{1, 0, 1}));
  EXPECT_TRUE(least_ruled_out(Combinations({2, 2}, [](const Combination&) { return true; })).empty());
}

// What is exported as constraints must rule out the same combinations: a comparison with another generator is else about two
// different spaces.
TEST(Coverage, ACombinationIsAllowedExactlyWhereItHoldsNoneOfThese) {
  const Combinations all({3, 4, 2, 3},
                         [](const Combination& one) { return (one[0] * 7 + one[1] * 5 + one[2] * 3 + one[3]) % 4 != 0; });
  const auto least = least_ruled_out(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Combination combination = all.at(i);
    bool holds_one = false;
    for (const Partial& part : least) {
      bool holds = true;
      for (std::size_t p = 0; p < part.size(); ++p) holds = holds && (part[p] < 0 || part[p] == combination[p]);
      holds_one = holds_one || holds;
    }
    EXPECT_EQ(all.allows(i), !holds_one) << i;
  }
}

}  // namespace
}  // namespace ordercheck
