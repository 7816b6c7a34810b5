#include "stack/trainer.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

Stack stack(const char* text) { return parse_stack(text).value(); }

TEST(Trainer, IsAddedLastWhereNoneIsNamed) {
  EXPECT_EQ(print(with_trainer(stack("pp=2,fsdp=2"))), "pp=2,fsdp=2,optimizer=adamw");
  EXPECT_EQ(print(with_trainer(stack("optimizer=sgd,fsdp=2"))), "optimizer=sgd,fsdp=2");
  EXPECT_EQ(print(with_trainer(stack("model"))), "optimizer=adamw");
}

TEST(Trainer, ClipsAloneUnlessItTakesTheNormOfEachMesh) {
  EXPECT_FALSE(clips_alone(default_trainer()));
  EXPECT_TRUE(clips_alone(stack("optimizer=sgd:clip=0.5").items[0]));
  EXPECT_FALSE(clips_alone(stack("optimizer=adamw:clip=per_mesh").items[0]));
  EXPECT_FALSE(clips_alone(stack("optimizer=adamw").items[0]));
}

TEST(Trainer, StepsInBackwardWhereItsOptionSaysSo) {
  EXPECT_TRUE(steps_in_backward(stack("fsdp=2,optimizer=adamw:in_backward=on")));
  EXPECT_FALSE(steps_in_backward(stack("fsdp=2,optimizer=adamw:clip=1")));
  EXPECT_FALSE(steps_in_backward(stack("fsdp=2")));
}

TEST(Trainer, ClipsWhereItIsAskedTo) {
  EXPECT_EQ(print(with_clipping(stack("pp=2,ac"), kUsualThreshold)), "pp=2,ac,optimizer=adamw:clip=1");
  EXPECT_EQ(print(with_clipping(stack("optimizer=sgd,fsdp=2"), kUsualThreshold)), "optimizer=sgd:clip=1,fsdp=2");
  EXPECT_EQ(print(with_clipping(stack("ac,optimizer=adamw:clip=0"), kUsualThreshold)), "ac,optimizer=adamw:clip=1");
  EXPECT_EQ(print(with_clipping(stack("ac,optimizer=adamw:clip=0.5"), kUsualThreshold)), "ac,optimizer=adamw:clip=0.5");
  EXPECT_TRUE(clips(stack("ac,optimizer=adamw:clip=per_mesh")));
  EXPECT_FALSE(clips(stack("ac,optimizer=adamw:clip=0")));
  EXPECT_FALSE(clips(stack("ac")));
}

TEST(Backend, IsNamedWhereItWasLeftOpen) {
  EXPECT_EQ(print(under_usual_backend(*parse_stack("compile:wrap@model,compile=aot_eager,sac"))),
            "compile=inductor:wrap@model,compile=aot_eager,sac");
  EXPECT_EQ(print(without_backend(*parse_stack("compile=aot_eager:wrap,sac"))), "compile:wrap,sac");
  EXPECT_TRUE(names_usual_backend(*parse_stack("tp=2,compile=inductor")));
  EXPECT_FALSE(names_usual_backend(*parse_stack("tp=2,compile")));
}

}  // namespace
}  // namespace ordercheck
