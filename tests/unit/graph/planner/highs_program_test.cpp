#include <gmock/gmock.h>

#include "graph/planner/integer_program.h"

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;

ProgramRow row(std::int64_t low, std::int64_t high, std::vector<ProgramTerm> terms) {
  return {.name = "row", .low = low, .high = high, .terms = std::move(terms)};
}

TEST(Highs, TakesTheCheapestOfASet) {
  const auto solved = solve_with_highs({.costs = {3, 1, 2}, .whole = {true, true, true}, .rows = {row(1, 1, {{0}, {1}, {2}})}});
  ASSERT_TRUE(solved);
  EXPECT_TRUE(solved->feasible);
  EXPECT_EQ(solved->cost, 1);
  EXPECT_THAT(solved->ones, ElementsAre(false, true, false));
  EXPECT_TRUE(solved->relaxation_was_whole);
  EXPECT_THAT(solved->may_be_one, ElementsAre(false, true, false));
}

TEST(Highs, SaysOfEveryTieThatItMayBe) {
  const auto solved = solve_with_highs({.costs = {1, 1, 2}, .whole = {true, true, true}, .rows = {row(1, 1, {{0}, {1}, {2}})}});
  EXPECT_THAT(solved->may_be_one, ElementsAre(true, true, false));
}

// A knapsack: the relaxation takes two thirds of the second.
TEST(Highs, BranchesWhereTheRelaxationIsFractional) {
  const auto solved = solve_with_highs({.costs = {-5, -6, 0, 0},
                                        .whole = {true, true, true, true},
                                        .rows = {row(1, 1, {{0}, {2}}), row(1, 1, {{1}, {3}}), row(0, 4, {{0, 2}, {1, 3}})}});
  ASSERT_TRUE(solved);
  EXPECT_FALSE(solved->relaxation_was_whole);
  EXPECT_EQ(solved->cost, -6);
  EXPECT_THAT(solved->ones, ElementsAre(false, true, true, false));
}

TEST(Highs, SaysThatNothingIsFeasible) {
  const auto solved =
      solve_with_highs({.costs = {1, 1}, .whole = {true, true}, .rows = {row(1, 1, {{0}, {1}}), row(2, 2, {{0}, {1}})}});
  ASSERT_TRUE(solved);
  EXPECT_FALSE(solved->feasible);
}

// No fraction is lost: a solution in halves is none in whole numbers.
TEST(Highs, SaysThatNothingWholeIsFeasible) {
  const auto solved =
      solve_with_highs({.costs = {1, 1}, .whole = {true, true}, .rows = {row(1, 1, {{0}, {1}}), row(0, 0, {{0}, {1, -1}})}});
  ASSERT_TRUE(solved);
  EXPECT_FALSE(solved->feasible);
}

TEST(Highs, ARowThatPricesIsTight) {
  const auto solved =
      solve_with_highs({.costs = {1, 2}, .whole = {true, true}, .rows = {row(1, 1, {{0}, {1}}), row(0, 0, {{0}})}});
  ASSERT_TRUE(solved);
  EXPECT_EQ(solved->cost, 2);
  EXPECT_THAT(solved->ones, ElementsAre(false, true));
}

TEST(Highs, HasNothingToDoForNoVariables) { EXPECT_TRUE(solve_with_highs({}).value().feasible); }

}  // namespace
}  // namespace ordercheck::placing
