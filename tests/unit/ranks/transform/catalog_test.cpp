#include <gtest/gtest.h>

#include "ranks/transform/transform.h"
#include "stack/transforms.h"

namespace ordercheck::ranks {
namespace {

// The paper wing must know every name that the engine builds.
TEST(Catalog, NamesOnlyTransformsThatAStackMayUse) {
  for (const Transform& transform : transform_catalog()) EXPECT_TRUE(find_transform(transform.name)) << transform.name;
}

TEST(Catalog, SaysWhatItCannotBuild) {
  // By hand, not parsed: no text says most of these, but an item may come from elsewhere.
  const auto why = [](const Item& item) { return find_transform_of_engine(item.name)->cannot(item); };
  EXPECT_EQ(why({.name = "ac"}), "");
  EXPECT_NE(why({.name = "ac", .options = {{"reentrant", ""}}}), "");
  EXPECT_NE(why({.name = "tp", .options = {{"sp", "maybe"}}}), "");
  EXPECT_NE(why({.name = "fsdp", .options = {{"reshard", "sometimes"}}}), "");
  EXPECT_NE(why({.name = "optimizer", .mode = "adamw", .options = {{"clip", "big"}}}), "");
  EXPECT_EQ(why({.name = "compile", .options = {{"wrap", ""}, {"fullgraph", ""}}, .scope = Scope::model}), "");
  EXPECT_EQ(why({.name = "compile", .mode = "inductor"}),
            "compile=inductor is a backend of PyTorch; this engine replays what it captured");
  EXPECT_EQ(why({.name = "tp", .options = {{"plan", "all"}}}), "");
  EXPECT_EQ(why({.name = "tp", .options = {{"plan", "blocks"}}}),
            "tp:plan=blocks is not built; this engine's plan names the whole model");
  EXPECT_EQ(why({.name = "sac", .options = {{"policy", "linear+all_reduce"}}}), "");
  EXPECT_EQ(why({.name = "sac", .options = {{"policy", "linear+lines"}}}),
            "sac:policy expects linear, attention, gather, reduce_scatter or all_reduce joined by '+', got 'lines'");
  EXPECT_NE(why({.name = "sac", .scope = Scope::model}), "");
  EXPECT_EQ(why({.name = "ddp", .options = {{"no_sync", ""}, {"bucket_kib", "64"}}}), "");
  EXPECT_NE(why({.name = "ddp", .scope = Scope::block}), "");
  EXPECT_EQ(find_transform_of_engine("pp"), nullptr);
  EXPECT_EQ(find_transform_of_engine("replicate"), nullptr);
}

}  // namespace
}  // namespace ordercheck::ranks
