#include "stack/item_parser.h"

#include <gmock/gmock.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(Synonyms, SayTheNameOfTheSameThingAndNotTheNearestWord) {
  EXPECT_EQ(instead_of("dp"), "write 'fsdp' for shards, 'ddp' for replicas, 'hsdp' for both");
  EXPECT_EQ(instead_of("torch.compile"), "did you mean 'compile'?");
  EXPECT_EQ(instead_of("checkpoint"), "did you mean 'ac'?");
  EXPECT_THAT(instead_of("zero3"), HasSubstr("'fsdp'"));
  for (const char* framework : {"deepspeed", "megatron"}) EXPECT_THAT(instead_of(framework), HasSubstr("that is a framework"));
}

TEST(Synonyms, LeaveASpellingToTheNearestName) { EXPECT_EQ(instead_of("fsdb"), "did you mean 'fsdp'?"); }

TEST(Synonyms, NameWhatTheNotationTakes) {
  for (const char* meant : {"fsdp:reshard=always", "fsdp:reshard=never", "tp:sp=off", "cp:ring", "compile=inductor", "amp=bf16",
                            "fsdp:mp=bf16", "optimizer=adamw", "optimizer=sgd"})
    EXPECT_TRUE(parse_stack(meant)) << meant;
}

}  // namespace
}  // namespace ordercheck
