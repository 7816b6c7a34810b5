#include "plan/shards.h"

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

std::map<std::string, std::size_t> places(const std::vector<PlannedShard>& shards) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < shards.size(); ++i)
    for (const PlannedCase& one : shards[i].plan.cases) EXPECT_TRUE(places.emplace(print(one.subject), i).second);
  return places;
}

TEST(Shards, HoldEachCaseOnceInItsOrder) {
  const Plan plan = plan_of_degrees(23);
  const auto shards = shards_of(plan, {}, {}, 4);
  ASSERT_EQ(shards.size(), 4u);
  EXPECT_EQ(places(shards).size(), plan.cases.size());
  for (const PlannedShard& shard : shards)
    EXPECT_TRUE(std::ranges::is_sorted(shard.plan.cases, {}, [](const PlannedCase& one) { return print(one.subject); }));
}

TEST(Shards, TakeAlikeLong) {
  const Plan plan = plan_of_degrees(60);
  Durations durations;
  for (std::size_t i = 0; i < plan.cases.size(); ++i)
    durations[print(plan.cases[i].subject)] = i % 7 == 0 ? 64 : i % 3 == 0 ? 8 : 1;
  double whole = 0;
  for (const auto& [name, seconds] : durations) whole += seconds;
  for (const PlannedShard& shard : shards_of(plan, {}, durations, 3)) {
    EXPECT_LT(shard.seconds, 1.1 * whole / 3);
    EXPECT_GT(shard.seconds, 0.9 * whole / 3);
  }
}

TEST(Shards, ACaseThatWasNeverMeasuredCountsAsTheMedian) {
  const Plan plan = plan_of_degrees(3);
  const auto shards = shards_of(plan, {}, {{"tp=2", 4}, {"other", 16}, {"another", 16}}, 1);
  EXPECT_EQ(shards[0].seconds, 4 + 16 + 16);
}

TEST(Shards, ACaseMoreMovesFewOthers) {
  const auto before = places(shards_of(plan_of_degrees(200), {}, {}, 4)),
             after = places(shards_of(plan_of_degrees(201), {}, {}, 4));
  std::size_t moved = 0;
  for (const auto& [name, place] : before) moved += after.at(name) != place;
  EXPECT_LT(moved, 20u);
}

// Each of them is a job, and a merge would wait for one that has nothing.
TEST(Shards, NoneIsEmptyWhileThereAreCasesForAll) {
  const Plan plan = plan_of_degrees(9);
  const Durations durations{{"tp=2", 1000}};
  for (int count = 1; count <= most_shards(plan, {}); ++count)
    for (const PlannedShard& shard : shards_of(plan, {}, durations, count)) EXPECT_FALSE(shard.plan.cases.empty()) << count;
  EXPECT_EQ(most_shards(plan, {}), 9);
  EXPECT_EQ(most_shards({}, {}), 1);
}

TEST(Shards, MoreThanCasesLeavesSomeEmpty) {
  const auto shards = shards_of(plan_of_degrees(2), {}, {}, 5);
  EXPECT_EQ(std::ranges::count_if(shards, [](const PlannedShard& one) { return one.plan.cases.empty(); }), 3);
}

TEST(Shards, KeepTheWitnessesOfAComparingRuleTogether) {
  Rule rule;
  rule.id = "COM-901";
  rule.kind = RuleKind::commutes;
  Plan plan = plan_of_degrees(24);
  for (std::size_t first = 0; first < plan.cases.size(); ++first) {
    Plan marked = plan;
    const std::size_t other = (first + 7) % plan.cases.size();
    marked.cases[first].sources = {{SourceKind::witness, "COM-901 bad"}};
    marked.cases[other].sources = {{SourceKind::witness, "COM-901 good"}};
    const auto place = places(shards_of(marked, {rule}, {}, 6));
    EXPECT_EQ(place.at(print(plan.cases[first].subject)), place.at(print(plan.cases[other].subject)));
    EXPECT_EQ(most_shards(marked, {rule}), 23);
  }
}

TEST(Durations, AreReadAsTheyAreWritten) {
  const Durations durations{{"tp=2", 0.125}, {"tp=2,fsdp=2 engine=pytorch", 64}};
  const auto read = parse_durations(print_durations(durations), "d.tsv");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, durations);
}

TEST(Durations, WhatIsNoDurationNamesItsLine) {
  for (const char* line : {"tp=2\t-1", "tp=2\tnan", "tp=2", "tp=2\t1\t1", "\t1", "tp=2\t1x"}) {
    const auto read = parse_durations(print_durations({{"ac", 1}}) + line + "\n", "d.tsv");
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, testing::StartsWith("d.tsv:4: ")) << line;
  }
}

TEST(Durations, ABusyMachineRewritesNothing) {
  const Durations recorded{{"a", 8}, {"b", 8}, {"c", 8}};
  const Durations now = with_measured(recorded, {{"a", 15}, {"b", 4.2}, {"c", 40}, {"d", 3}});
  EXPECT_EQ(now, (Durations{{"a", 8}, {"b", 8}, {"c", 32}, {"d", 4}}));
}

}  // namespace
}  // namespace ordercheck
