#include "rules/condition_values.h"

#include <gtest/gtest.h>

#include "rules/conditions.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

Truth truth(const char* condition, const char* stack) {
  return truth_of(*parse_condition(condition), condition_values(*parse_stack(stack), Job(8)));
}

TEST(ConditionValues, HaveAPlaceForEveryName) {
  for (const std::string& name : condition_names()) EXPECT_EQ(condition_names()[*slot_of(name)], name);
  EXPECT_FALSE(slot_of("tpp"));
}

TEST(ConditionValues, OfADegreeThatNobodyWroteIsKnownThatItIsMoreThanOne) {
  EXPECT_EQ(truth("tp > 1", "tp"), Truth::yes);
  EXPECT_EQ(truth("tp == 1", "tp"), Truth::no);
  EXPECT_EQ(truth("dp_shard * cp == 1", "fsdp"), Truth::no);
  for (const char* condition : {"tp % 2 != 0", "world > ranks", "ranks % world != 0", "tp > 2", "layers < tp", "tp - 1 == 1"})
    EXPECT_EQ(truth(condition, "tp"), Truth::unknown) << condition;
  EXPECT_EQ(truth("tp % 2 != 0", "tp=2"), Truth::no) << "written";
  EXPECT_EQ(truth("tp % 2 != 0", "fsdp"), Truth::yes) << "there is none: it is 1";
}

TEST(ConditionValues, OfAMeshWithOpenDegreesKnowWhatItTakesAtLeast) {
  EXPECT_EQ(truth("world > ranks", "pp=16,tp=8,ddp"), Truth::yes);
  EXPECT_EQ(truth("ranks < world", "pp=16,tp=8,ddp"), Truth::yes);
  EXPECT_EQ(truth("world <= ranks", "pp=16,tp=8,ddp"), Truth::no);
  EXPECT_EQ(truth("world == ranks", "pp=16,tp=8,ddp"), Truth::no);
  EXPECT_EQ(truth("world > ranks", "tp=2,ddp"), Truth::unknown);
  EXPECT_EQ(truth("world == ranks", "tp=2,ddp"), Truth::unknown);
}

TEST(ConditionValues, WhatAMeshTakesIsOpenWithOneDegreeOfIt) {
  EXPECT_EQ(truth("(dp_shard * cp * tp) % ep != 0", "ep=8,fsdp"), Truth::unknown);
  EXPECT_EQ(truth("(dp_shard * cp * tp) % ep != 0", "ep=8,fsdp=2"), Truth::yes);
  EXPECT_EQ(truth("(dp_shard * cp * tp) % ep != 0", "ep,fsdp=2"), Truth::unknown);
  EXPECT_EQ(unknown_names(*parse_condition("world > ranks"), condition_values(*parse_stack("tp=2,fsdp"), Job(8))),
            std::vector<std::string>{"world"});
}

TEST(ConditionValues, ExpertsAreSplitByTensorParallelismWhereTheItemSaysSo) {
  EXPECT_EQ(condition_values(*parse_stack("tp=2,ep=2:etp=2,fsdp=2"), {}).at("etp"), 2);
  EXPECT_EQ(condition_values(*parse_stack("tp=2,ep=2,fsdp=2"), {}).at("etp"), 1);
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), {}).at("etp"), 1);
}

TEST(ConditionValues, FreezesAndReusesNothingWhereNobodySaysSo) {
  Job job;
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("frozen_norms"), 0);
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("reused_blocks"), 0);
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("expert_capacity"), 0);
  job.sizes["frozen_norms"] = 1;
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("frozen_norms"), 1);
  EXPECT_FALSE(condition_values(*parse_stack("tp=2"), job).contains("tied")) << "it is not known";
}

TEST(ConditionValues, PreferMicrobatchesThatAPipelineSays) {
  Job job;
  job.sizes["microbatches"] = 2;
  EXPECT_EQ(condition_values(*parse_stack("pp=2:microbatches=8"), job).at("microbatches"), 8);
  EXPECT_EQ(condition_values(*parse_stack("pp=2"), job).at("microbatches"), 2);
}

}  // namespace
}  // namespace ordercheck
