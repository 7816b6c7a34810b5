#include "rule/job.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

TEST(Job, ExpertsAreSplitByTensorParallelismWhereTheItemSaysSo) {
  EXPECT_EQ(condition_values(*parse_stack("tp=2,ep=2:etp=2,fsdp=2"), {}).at("etp"), 2);
  EXPECT_EQ(condition_values(*parse_stack("tp=2,ep=2,fsdp=2"), {}).at("etp"), 1);
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), {}).at("etp"), 1);
}

TEST(Job, FreezesAndReusesNothingWhereNobodySaysSo) {
  Job job;
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("frozen_norms"), 0);
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("reused_blocks"), 0);
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("expert_capacity"), 0);
  job.sizes["frozen_norms"] = 1;
  EXPECT_EQ(condition_values(*parse_stack("tp=2"), job).at("frozen_norms"), 1);
  EXPECT_FALSE(condition_values(*parse_stack("tp=2"), job).contains("tied")) << "it is not known";
}

}  // namespace
}  // namespace ordercheck
