#include "rule/counters.h"

#include <gmock/gmock.h>

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
}

}  // namespace
}  // namespace ordercheck
