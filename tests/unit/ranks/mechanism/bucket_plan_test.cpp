#include "ranks/mechanism/bucket_plan.h"

#include <gtest/gtest.h>

#include "ranks/model/models.h"

namespace ordercheck::ranks {
namespace {

TEST(BucketPlan, EachBlockAndWhatComesBeforeAndBehindTheBlocks) {
  const BucketPlan plan = BucketPlan::of_transformer_blocks(make_model("llama", {}));
  EXPECT_EQ(plan.bucket_of("tok_embeddings"), "tok_embeddings");
  EXPECT_EQ(plan.bucket_of("layers.1.attention.wq"), "layers.1");
  EXPECT_EQ(plan.bucket_of("layers.0.ffn_norm"), "layers.0");
  EXPECT_EQ(plan.bucket_of("norm"), plan.bucket_of("output"));
  EXPECT_FALSE(plan.bucket_of("norm").empty());
}

TEST(BucketPlan, TakesPathsByTheirParts) {
  const BucketPlan plan = BucketPlan::of_transformer_blocks(make_model("llama", {}));
  EXPECT_EQ(plan.bucket_of("layers.10.attention.wq"), "");
  EXPECT_EQ(plan.bucket_of("layers"), "");
  EXPECT_EQ(BucketPlan().bucket_of("layers.0"), "");
}

}  // namespace
}  // namespace ordercheck::ranks
