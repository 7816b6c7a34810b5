#include <gtest/gtest.h>

#include "import/formats.h"
#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(Axolotl, ReadsFsdp2) {
  EXPECT_EQ(shown_import("base_model: m\n"
                         "sequence_len: 4096\n"
                         "bf16: true\n"
                         "gradient_checkpointing: true\n"
                         "gradient_checkpointing_kwargs:\n"
                         "  use_reentrant: false\n"
                         "torch_compile: true\n"
                         "dp_shard_size: 2\n"
                         "tensor_parallel_size: 2\n"
                         "context_parallel_size: 2\n"
                         "ring_attn_func: batch_zigzag\n"
                         "fsdp_version: 2\n"
                         "fsdp_config:\n"
                         "  offload_params: true\n"
                         "  auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
                         "  reshard_after_forward: true\n"),
            "tp=2:sp=off,cp=2:ring:balance=head_tail,ac,compile:wrap@model,fsdp=2:reshard=always:mp=bf16\n"
            "  tp=2:sp=off f:9\n"
            "  cp=2:ring:balance=head_tail f:10\n"
            "  ac f:4\n"
            "  compile:wrap@model f:7\n"
            "  fsdp=2:reshard=always:mp=bf16 f:8\n"
            "  sequence_length=4096\n"
            "? f:8 mixed precision bf16: accelerate reduces gradients in bf16 too; fsdp:mp reduces in float32\n"
            "? f:14 fsdp_config.offload_params: true: no transform for parameters kept off the device\n");
}

TEST(Axolotl, ReadsTheDeprecatedList) {
  EXPECT_EQ(shown_import("base_model: m\nfsdp:\n  - full_shard\n  - auto_wrap\nfsdp_config:\n  fsdp_offload_params: false\n"),
            "fsdp:reshard=always\n"
            "  fsdp:reshard=always f:2\n"
            "? f fsdp_config.fsdp_version is not stated: that is FSDP1, and fsdp is FSDP2; what only FSDP1 has is not "
            "checked\n");
}

TEST(Axolotl, ReadsTheFileOfDeepSpeedThatItNames) {
  EXPECT_EQ(shown_import("base_model: m\nbf16: true\ngradient_checkpointing: true\ndeepspeed: z.json\n", "",
                         "{\n\"zero_optimization\": {\n\"stage\": 3},\n\"bf16\": {\"enabled\": \"auto\"}}"),
            "ac:reentrant,fsdp:reshard=always:mp=bf16\n"
            "  ac:reentrant f:3\n"
            "  fsdp:reshard=always:mp=bf16 z.json:3\n"
            "? z.json:4 bf16.enabled: ZeRO reduces gradients in bf16 too; fsdp:mp reduces in float32\n");
  EXPECT_EQ(shown_import("base_model: m\ndeepspeed: z.json\n"),
            "ddp\n  ddp f\n? f:2 deepspeed: z.json: there is no file z.json\n");
}

TEST(Axolotl, GuessesNothing) {
  EXPECT_EQ(
      shown_import("base_model: m\nbf16: auto\ntorch_compile: auto\ntensor_parallel_size: a\nfsdp_config:\n  fsdp_version: 2\n"
                   "  shards: 2\n"),
      "fsdp\n"
      "  fsdp f:6\n"
      "? f:2 bf16: auto: whether it casts is up to the GPU; write true or false\n"
      "? f:3 torch_compile: auto: whether it compiles is up to the version of torch; write true or false\n"
      "? f:4 tensor_parallel_size: a: expected a number of ranks, 1 or more\n"
      "? f:7 fsdp_config.shards: 2: a key that ordercheck does not know\n");
  EXPECT_EQ(shown_import("base_model: m\nlearning_rate: 1e-4\n"),
            "\n? f data parallelism: neither fsdp_config nor deepspeed is there; on several ranks axolotl replicates with "
            "DDP, write "
            "ddp=N for that\n");
}

}  // namespace
}  // namespace ordercheck
