#include "rule/job.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

TEST(Job, AStackWithExpertsIsAboutAModelThatHasThem) {
  EXPECT_EQ(model_of(*parse_stack("ep=2,fsdp=2"), "llama"), "moe");
  EXPECT_EQ(model_of(*parse_stack("ac,fsdp=2@experts"), "llama"), "moe");
  EXPECT_EQ(model_of(*parse_stack("ac,fsdp=2"), "llama"), "llama");
}

}  // namespace
}  // namespace ordercheck
