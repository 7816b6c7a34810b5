#include "stack/trainer.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

Stack stack(const char* text) { return parse_stack(text).value(); }

TEST(Trainer, IsAddedLastWhereNoneIsNamed) {
  EXPECT_EQ(print(with_trainer(stack("pp=2,fsdp=2"))), "pp=2,fsdp=2,optimizer=adamw:clip=1");
  EXPECT_EQ(print(with_trainer(stack("optimizer=sgd,fsdp=2"))), "optimizer=sgd,fsdp=2");
  EXPECT_EQ(print(with_trainer(stack("model"))), "optimizer=adamw:clip=1");
}

TEST(Trainer, ClipsAloneUnlessItTakesTheNormOfEachMesh) {
  EXPECT_TRUE(clips_alone(default_trainer()));
  EXPECT_TRUE(clips_alone(stack("optimizer=sgd:clip=0.5").items[0]));
  EXPECT_FALSE(clips_alone(stack("optimizer=adamw:clip=per_mesh").items[0]));
  EXPECT_FALSE(clips_alone(stack("optimizer=adamw").items[0]));
}

TEST(Trainer, StepsInBackwardWhereItsOptionSaysSo) {
  EXPECT_TRUE(steps_in_backward(stack("fsdp=2,optimizer=adamw:in_backward=on")));
  EXPECT_FALSE(steps_in_backward(stack("fsdp=2,optimizer=adamw:clip=1")));
  EXPECT_FALSE(steps_in_backward(stack("fsdp=2")));
}

TEST(Trainer, ARunWithAnOptimizerThatClipsIsOneOfTheStack) {
  const Stack plain = stack("pp=2,ac");
  EXPECT_TRUE(is_trained_form_of(stack("pp=2,ac,optimizer=adamw:clip=per_mesh"), plain));
  EXPECT_FALSE(is_trained_form_of(stack("pp=2,ac,optimizer=adamw"), plain)) << "another question: it does not clip";
  EXPECT_FALSE(is_trained_form_of(stack("pp=2,optimizer=adamw:clip=1,ac"), plain)) << "named before ac";
  EXPECT_FALSE(is_trained_form_of(stack("ac,pp=2,optimizer=adamw:clip=1"), plain));
  EXPECT_FALSE(is_trained_form_of(plain, plain));
}

}  // namespace
}  // namespace ordercheck
