#include "plan/covering_rows.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "plan/coverage.h"

namespace ordercheck {
namespace {

Combinations of(
    std::vector<int> levels, const std::function<bool(const Combination&)>& allows = [](const auto&) { return true; }) {
  return {std::move(levels), allows};
}

void expect_covered(const Combinations& combinations, int strength) {
  const auto rows = covering_rows(combinations, strength);
  const Coverage coverage = coverage_of(rows, combinations, strength);
  EXPECT_EQ(coverage.covered, coverage.feasible);
  EXPECT_EQ(coverage.rows, rows.size()) << "each row is allowed";
  EXPECT_TRUE(std::ranges::is_sorted(rows));
}

TEST(CoveringRows, AreAsFewAsTheKnownOptimum) {
  EXPECT_EQ(covering_rows(of({3, 3, 3, 3}), 2).size(), 9u) << "the orthogonal array OA(9, 4, 3, 2)";
  EXPECT_EQ(covering_rows(of({2, 2, 2, 2}), 3).size(), 8u) << "OA(8, 4, 2, 3)";
  EXPECT_EQ(covering_rows(of({2, 2, 2, 2, 2}), 2).size(), 6u) << "CAN(2, 5, 2): Renyi, Katona";
  EXPECT_EQ(covering_rows(of({5, 4, 2}), 2).size(), 20u);
}

TEST(CoveringRows, HoldEveryFeasibleTupleUnderConstraints) {
  const auto allows = [](const Combination& one) {
    return !(one[0] == 1 && one[1] == 2) && !(one[1] == 0 && one[2] == 1 && one[3] == 0) && one[0] + one[3] < 4;
  };
  for (const int strength : {2, 3}) expect_covered(of({3, 4, 2, 3, 5}, allows), strength);
}

TEST(CoveringRows, OfARowOnlyOrOfNothing) {
  EXPECT_EQ(covering_rows(of({2, 2, 2}, [](const Combination& one) { return one == Combination{1, 0, 1}; }), 2),
            (std::vector<Combination>{{1, 0, 1}}));
  EXPECT_TRUE(covering_rows(of({2, 2, 2}, [](const Combination&) { return false; }), 2).empty());
}

TEST(CoveringRows, AreTheSameEachTime) {
  const Combinations combinations = of({4, 3, 3, 2, 5});
  EXPECT_EQ(covering_rows(combinations, 2), covering_rows(combinations, 2));
}

}  // namespace
}  // namespace ordercheck
