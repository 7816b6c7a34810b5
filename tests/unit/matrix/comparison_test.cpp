#include "matrix/comparison.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

std::optional<Stack> reversed(const Stack& stack) { return Stack{.items = {stack.items.rbegin(), stack.items.rend()}}; }

TEST(Comparison, HoldsACaseAgainstOneRankTheRecommendedOrderAndATwinAnItem) {
  FakeRunner runner;
  Batch batch(runner);
  const Case c{.stack = *parse_stack("tp=2,ac")};
  want_first_runs(batch, c, reversed);
  want_again(batch, c);
  ASSERT_TRUE(batch.run());
  EXPECT_EQ(runner.seen.size(), 6u);  // the case twice, the reference, the recommended order, two twins
  const Comparison comparison = *comparison_of(batch, c, reversed);
  EXPECT_TRUE(comparison.recommended);
  EXPECT_EQ(comparison.twins.size(), 2u);
}

TEST(Comparison, AFunctionOfTheUsersHasNoOtherOrderAndNoTwins) {
  FakeRunner runner;
  Batch batch(runner);
  const Case c{.stack = *parse_stack("tp=2,ac"), .apply = "mine:parallelize"};
  want_first_runs(batch, c, reversed);
  want_again(batch, c);
  ASSERT_TRUE(batch.run());
  ASSERT_EQ(runner.seen.size(), 3u);  // the case twice, and the reference, which applies nothing
  for (const Request& request : runner.seen)
    EXPECT_EQ(request.run.subject.apply, request.run.subject.stack.items.empty() ? "" : "mine:parallelize");
  const Comparison comparison = *comparison_of(batch, c, reversed);
  EXPECT_FALSE(comparison.recommended);
  EXPECT_TRUE(comparison.twins.empty());
}

}  // namespace
}  // namespace ordercheck
