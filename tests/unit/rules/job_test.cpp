#include "rules/job.h"

#include <gtest/gtest.h>

#include "stack/model_sizes.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

TEST(Job, KnowsTheSizesThatEveryEngineRunsUnlessOthersAreGiven) {
  EXPECT_EQ(Job().sizes, frozen_sizes());
  EXPECT_TRUE(Job({}, {}).sizes.empty());
}

TEST(Job, ASizeIsPositiveAFlagIsOneOrNot) {
  EXPECT_FALSE(range_of_size("heads").holds(0));
  EXPECT_TRUE(range_of_size("experts").holds(0));
  EXPECT_FALSE(range_of_size("tied").holds(2));
  EXPECT_EQ(in_words(range_of_size("tied")), "0 or 1");
}

TEST(Models, AStackWithExpertsIsAboutAModelThatHasThem) {
  EXPECT_EQ(model_of(*parse_stack("ep=2,fsdp=2"), "llama"), "moe");
  EXPECT_EQ(model_of(*parse_stack("ac,fsdp=2@experts"), "llama"), "moe");
  EXPECT_EQ(model_of(*parse_stack("ac,fsdp=2"), "llama"), "llama");
}

TEST(Models, HaveTheUsualSizesWhereNothingElseIsSaid) {
  EXPECT_EQ(sizes_of_model("llama"), frozen_sizes());
  Sizes owed = frozen_sizes();
  owed["experts"] = 8;
  owed["score_before_experts"] = 1;
  EXPECT_EQ(sizes_of_model("llama4"), owed);
  EXPECT_EQ(sizes_of_model("moe").at("score_before_experts"), 0);
  EXPECT_EQ(sizes_of_model("moe").at("dropout"), 0);
  EXPECT_EQ(sizes_of_model("llama_dropout").at("dropout"), 1);
}

TEST(Models, SayWhoseExpertsDropTokens) {
  EXPECT_EQ(sizes_of_model("moe_capacity").at("expert_capacity"), 1);
  EXPECT_EQ(sizes_of_model("moe_capacity").at("experts"), 8);
  EXPECT_FALSE(sizes_of_model("moe").contains("expert_capacity"));
}

TEST(Models, SayWhatIsTiedFrozenAndCalledTwice) {
  EXPECT_EQ(sizes_of_model("llama_tied").at("tied"), 1);
  EXPECT_EQ(sizes_of_model("llama_frozen").at("frozen_embedding"), 1);
  EXPECT_EQ(sizes_of_model("llama_frozen_norm").at("frozen_norms"), 1);
  EXPECT_EQ(sizes_of_model(kModelThatCallsABlockTwice).at("reused_blocks"), 1);
}

TEST(Models, ARunHasTheMicrobatchesOfItsSettings) {
  EXPECT_EQ(job_of(*parse_case("fsdp=2")).sizes.at("microbatches"), 2);
  EXPECT_EQ(job_of(*parse_case("fsdp=2,optimizer=sgd:in_backward=on")).sizes.at("microbatches"), 1);
  const Job of_moe = job_of(*parse_case("ep=2 model=moe accumulation=4"));
  EXPECT_EQ(of_moe.sizes.at("microbatches"), 4);
  EXPECT_EQ(of_moe.sizes.at("accumulation"), 4);
  EXPECT_EQ(of_moe.sizes.at("experts"), sizes_of_model("moe").at("experts"));
}

}  // namespace
}  // namespace ordercheck
