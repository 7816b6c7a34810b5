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

}  // namespace
}  // namespace ordercheck
