#include <gtest/gtest.h>

#include "native/graph/pass_list.h"
#include "native/transform/transform.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck::ranks {
namespace {

// The paper wing must know every name that the engine builds.
TEST(Catalog, NamesOnlyTransformsThatAStackMayUse) {
  for (const Transform& transform : transform_catalog())
    EXPECT_TRUE(find_transform(transform.built.name)) << transform.built.name;
}

TEST(Catalog, SaysWhatItCannotBuild) {
  const auto missing = [](const char* item) { return unbuilt_part(parse_stack(item)->items[0], built_transforms()); };
  for (const char* item : {"ac",
                           "ac=selective:n=3",
                           "ac:reentrant",
                           "amp=bf16",
                           "tp=2:plan=blocks:rest=plain",
                           "tp=2:loss_parallel",
                           "fsdp=2:mp=bf16@experts",
                           "tp=2:plan=all",
                           "tp=2:sp=off",
                           "compile:wrap:fullgraph@model",
                           "compile",
                           "sac:policy=linear+all_reduce",
                           "sac:n=2",
                           "ddp=2:no_sync:bucket_kib=64",
                           "fsdp=2@model",
                           "hsdp=2x2:reshard=always",
                           "replicate=2",
                           "simple_fsdp=2:reshard=never",
                           "simple_fsdp=2:bucket=transformer_block",
                           "simple_fsdp=2:bucket=auto",
                           "simple_fsdp=2:bucket=manual:bucket_modules=layers.0+norm",
                           "compile:passes=common+partition@model",
                           "simple_hsdp=2x2",
                           "simple_replicate=2",
                           "cp=2:ring",
                           "cp=2:all_gather",
                           "ep=2:etp=2",
                           "pp=2",
                           "auto_parallel=2:tp=2:replicas=2:memory=replicated:reshard=never",
                           "pp=2:dualpipev:microbatches=4:cut=in_place",
                           "optimizer=adamw:clip=per_mesh:foreach=off:lr=1e-3:weight_decay=0:in_backward=on"})
    EXPECT_EQ(missing(item), "") << item;
  EXPECT_EQ(missing("ac@model"), "ac@model");
  EXPECT_EQ(missing("compile=inductor"), "compile=inductor");
  EXPECT_EQ(missing("sac:policy=linear+lines"), "sac:policy=linear+lines");
  EXPECT_EQ(missing("sac@model"), "sac@model");
  EXPECT_EQ(missing("ddp=2@block"), "ddp@block");
  EXPECT_EQ(missing("quantize"), "quantize");
  EXPECT_EQ(find_transform_of_engine("quantize"), nullptr);
}

TEST(Catalog, EveryPassThatAStackMayNameIsBuilt) {
  const TransformInfo& compile = *find_transform("compile");
  EXPECT_EQ(find_option(compile, "passes")->words, pass_names());
}

}  // namespace
}  // namespace ordercheck::ranks
