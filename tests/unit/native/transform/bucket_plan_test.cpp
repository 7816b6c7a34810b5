#include "native/transform/bucket_plan.h"

#include <stdexcept>

#include <gmock/gmock.h>

#include "native/graph/bucketing.h"
#include "native/module/models.h"
#include "stack/notation.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(BucketPlan, ModulesThatAreNamedWithAllBelowThem) {
  const ModulePtr model = make_model("llama", {});
  const BucketPlan plan = BucketPlan::of_modules(model, {"layers.1.attention", "layers.0", "norm"});
  EXPECT_EQ(plan.bucket_of("layers.0.feed_forward.w1"), "layers.0");
  EXPECT_EQ(plan.bucket_of("layers.1.attention.wq"), "layers.1.attention");
  EXPECT_EQ(plan.bucket_of("layers.1.ffn_norm"), "");
  EXPECT_EQ(plan.bucket_of("layers.10.attention"), "");
  EXPECT_EQ(plan.bucket_of("norm"), "norm");
  EXPECT_THAT(plan.left_out(model),
              ElementsAre("tok_embeddings", "layers.1.attention_norm", "layers.1.ffn_norm", "layers.1.feed_forward.w1",
                          "layers.1.feed_forward.w2", "layers.1.feed_forward.w3", "output"));
  EXPECT_THAT(BucketPlan::of_transformer_blocks(model).left_out(model), IsEmpty());
}

std::string refused(const std::vector<std::string>& paths) {
  try {
    BucketPlan::of_modules(make_model("llama", {}), paths);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(BucketPlan, RefusesNamesThatAreNoModulesOrLieInEachOther) {
  EXPECT_EQ(refused({"layers.0", "layers.1"}), "");
  EXPECT_EQ(refused({"layers.10"}), "bucket_modules: 'layers.10' is no module of the model");
  EXPECT_EQ(refused({"layer.0"}), "bucket_modules: 'layer.0' is no module of the model");
  EXPECT_EQ(refused({""}), "bucket_modules: '' is no module of the model");
  const std::string inside = "bucket_modules: 'layers.0.attention' is in the bucket of 'layers.0' already";
  EXPECT_EQ(refused({"layers.0", "layers.0.attention"}), inside);
  EXPECT_EQ(refused({"layers.0.attention", "layers.0"}), inside) << "in either order";
  EXPECT_EQ(refused({"norm", "norm"}), "bucket_modules: 'norm' is named twice");
}

BucketPlan said_by(const char* item, bool is_stage = false) {
  return BucketPlan::as_item_says(make_model("llama", {}), parse_stack(item)->items.front(), is_stage);
}

TEST(BucketPlan, AsAnItemSays) {
  EXPECT_EQ(said_by("simple_fsdp=2").bucket_of("layers.0"), "");
  EXPECT_EQ(said_by("simple_fsdp=2:bucket=transformer_block").bucket_of("layers.0.attention"), "layers.0");
  EXPECT_EQ(said_by("simple_fsdp=2:bucket=auto").bucket_of("layers.0.attention"), kAutoBucket);
  EXPECT_EQ(said_by("simple_fsdp=2:bucket=manual:bucket_modules=layers.0+output").bucket_of("layers.0.attention"), "layers.0");
  EXPECT_THROW(said_by("simple_fsdp=2:bucket=manual"), std::runtime_error);
  EXPECT_THROW(said_by("simple_fsdp=2:bucket=auto:bucket_modules=layers.0"), std::runtime_error);
  EXPECT_THROW(said_by("simple_fsdp=2:bucket_modules=layers.0"), std::runtime_error);
}

TEST(BucketPlan, AStageMayLackWhatIsNamed) {
  const char* item = "simple_fsdp=2:bucket=manual:bucket_modules=layers.0+layers.7";
  EXPECT_THROW(said_by(item), std::runtime_error);
  EXPECT_EQ(said_by(item, /*is_stage=*/true).bucket_of("layers.0.attention"), "layers.0");
}

}  // namespace
}  // namespace ordercheck::ranks
