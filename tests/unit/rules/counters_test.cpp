#include "rules/counters.h"

#include <gmock/gmock.h>

#include "record/counters.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(CounterNames, AreThoseOfARecordAndCollectives) {
  for (const char* name : {"graph_breaks", "saved_bytes_peak", "all_gather", "all_gather@dp_shard", "reduce_scatter:bytes",
                           "all_reduce@tp:bytes", "broadcast@world"})
    EXPECT_TRUE(check_counter_name(name)) << name;
}

TEST(CounterNames, MistakesAreTold) {
  EXPECT_THAT(check_counter_name("graph_break").error().message, HasSubstr("did you mean 'graph_breaks'?"));
  EXPECT_THAT(check_counter_name("all_gather@dp").error().message, HasSubstr("'dp' is no axis"));
  EXPECT_FALSE(check_counter_name("graph_breaks:bytes"));
  EXPECT_FALSE(check_counter_name(""));
}

TEST(CounterValues, SumOverGroupsAndPhases) {
  const std::vector<CollectiveCount> collectives{{"all_gather", "dp_shard", Phase::forward, 2, 100},
                                                 {"all_gather", "dp_shard", Phase::backward, 3, 10},
                                                 {"all_gather", "tp", Phase::forward, 1, 1}};
  const CounterValues values = counter_values({.graph_breaks = 7}, collectives);
  EXPECT_EQ(values.at("all_gather"), 6);
  EXPECT_EQ(values.at("all_gather@dp_shard"), 5);
  EXPECT_EQ(values.at("all_gather@dp_shard:bytes"), 110);
  EXPECT_EQ(values.at("graph_breaks"), 7);
  EXPECT_EQ(values.at("graph_captures"), 0);
  EXPECT_FALSE(values.contains("send"));
  EXPECT_EQ(value_in(values, "send"), 0);
}

TEST(CounterValues, KeepWhatWasNotMeasuredApartFromZero) {
  const CounterValues values = counter_values({.matmul_flops = kNotMeasured}, {});
  EXPECT_EQ(value_in(values, "matmul_flops"), kNotMeasured);
  EXPECT_EQ(value_in(values, "graph_breaks"), 0);
}

TEST(HoldCounters, NamesTheFirstThatIsApartAndTheFirstThatIsNotMeasured) {
  const CounterValues one{{"a", 1}, {"b", kNotMeasured}, {"c", 3}, {"d", 4}};
  EXPECT_EQ(hold_counters(one, {{"a", 1}, {"b", kNotMeasured}, {"c", 3}, {"d", 4}}).apart, "");
  EXPECT_EQ(hold_counters(one, {{"a", 1}, {"b", 0}, {"c", 5}, {"d", 5}}).apart, "c");
  EXPECT_EQ(hold_counters(one, {{"a", kNotMeasured}, {"b", 0}, {"c", 3}, {"d", 4}}).unmeasured, "a");
  EXPECT_EQ(hold_counters(one, {{"a", 1}, {"b", kNotMeasured}, {"c", 3}, {"d", 4}}).unmeasured, "")
      << "what neither has is no claim";
  EXPECT_EQ(hold_counters({}, {{"all_gather", 2}}).apart, "all_gather") << "what did not happen is 0";
  EXPECT_EQ(hold_counters({}, {}).unmeasured, "");
}

}  // namespace
}  // namespace ordercheck
