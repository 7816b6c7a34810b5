#include "matrix/shards.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

Plan plan_of_degrees(int count) {
  Plan plan{.engine = "native"};
  for (int i = 2; i < count + 2; ++i) plan.cases.push_back({{.stack = *parse_stack("tp=" + std::to_string(i))}, {}});
  std::ranges::sort(plan.cases, {}, [](const PlannedCase& one) { return print(one.subject); });
  return plan;
}

std::map<std::string, int> places(const Plan& plan, const std::vector<Rule>& rules, int count) {
  std::map<std::string, int> places;
  for (int i = 1; i <= count; ++i)
    for (const PlannedCase& one : shard_of(plan, rules, {.index = i, .count = count}).cases)
      EXPECT_TRUE(places.emplace(print(one.subject), i).second);
  return places;
}

TEST(Shards, HoldEachCaseOnceInItsOrder) {
  const Plan plan = plan_of_degrees(23);
  EXPECT_EQ(places(plan, {}, 4).size(), plan.cases.size());
  for (int i = 1; i <= 4; ++i) {
    const Plan part = shard_of(plan, {}, {.index = i, .count = 4});
    EXPECT_GE(part.cases.size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(part.cases, {}, [](const PlannedCase& one) { return print(one.subject); }));
  }
}

TEST(Shards, MoreThanCasesLeavesSomeEmpty) {
  int empty = 0;
  for (int i = 1; i <= 5; ++i) empty += shard_of(plan_of_degrees(2), {}, {.index = i, .count = 5}).cases.empty();
  EXPECT_EQ(empty, 3);
}

TEST(Shards, KeepTheWitnessesOfAComparingRuleTogether) {
  Rule rule;
  rule.id = "COM-901";
  rule.kind = RuleKind::commutes;
  const Plan plan = plan_of_degrees(24);
  for (std::size_t first = 0; first < plan.cases.size(); ++first) {
    Plan marked = plan;
    const std::size_t other = (first + 7) % plan.cases.size();
    marked.cases[first].sources = {{SourceKind::witness, "COM-901 bad"}};
    marked.cases[other].sources = {{SourceKind::witness, "COM-901 good"}};
    const auto place = places(marked, {rule}, 6);
    EXPECT_EQ(place.at(print(plan.cases[first].subject)), place.at(print(plan.cases[other].subject)));
  }
}

}  // namespace
}  // namespace ordercheck
