#include <gtest/gtest.h>

#include "import/formats.h"
#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(Accelerate, ReadsFsdp2WithAMesh) {
  EXPECT_EQ(shown_import("compute_environment: LOCAL_MACHINE\n"
                         "distributed_type: FSDP\n"
                         "fsdp_config:\n"
                         "  fsdp_activation_checkpointing: true\n"
                         "  fsdp_reshard_after_forward: false\n"
                         "  fsdp_version: 2\n"
                         "mixed_precision: 'no'\n"
                         "num_processes: 16\n"
                         "dynamo_config:\n"
                         "  dynamo_backend: INDUCTOR\n"
                         "  dynamo_use_regional_compilation: true\n"
                         "parallelism_config:\n"
                         "  parallelism_config_cp_size: 2\n"
                         "  parallelism_config_cp_comm_strategy: alltoall\n"
                         "  parallelism_config_dp_replicate_size: 2\n"
                         "  parallelism_config_dp_shard_size: 2\n"
                         "  parallelism_config_tp_size: 2\n"),
            "tp=2:sp=off,cp=2:ring,ac:preserve_rng_state=off,compile=inductor,hsdp=2x2:reshard=never\n"
            "  tp=2:sp=off f:17\n"
            "  cp=2:ring f:13\n"
            "  ac:preserve_rng_state=off f:4\n"
            "  compile=inductor f:10\n"
            "  hsdp=2x2:reshard=never f:16\n"
            "  ranks=16\n");
}

TEST(Accelerate, ShardsOverAllRanksWithoutAMesh) {
  EXPECT_EQ(shown_import("distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\nnum_processes: 8\nmixed_precision: bf16\n"),
            "fsdp=8:mp=bf16\n"
            "  fsdp=8:mp=bf16 f:3\n"
            "  ranks=8\n"
            "? f:3 mixed precision bf16: accelerate reduces gradients in bf16 too; fsdp:mp reduces in float32\n");
}

TEST(Accelerate, SaysWhatIsOfFsdp1) {
  EXPECT_EQ(shown_import("distributed_type: FSDP\nfsdp_config:\n  sharding_strategy: 2\nnum_processes: 4\n"
                         "dynamo_config: {dynamo_backend: inductor}\n"),
            "fsdp=4:reshard=never,compile=inductor:wrap@model\n"
            "  fsdp=4:reshard=never f:3\n"
            "  compile=inductor:wrap@model f:5\n"
            "  ranks=4\n"
            "? f fsdp_config.fsdp_version is not stated: that is FSDP1, and fsdp is FSDP2; what only FSDP1 has is not "
            "checked\n");
}

TEST(Accelerate, CompilesWhatDdpHasWrapped) {
  EXPECT_EQ(shown_import(
                "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 4\ndynamo_config:\n  backend: aot_eager\n"),
            "amp=bf16,ddp=4,compile=aot_eager:wrap@model\n"
            "  amp=bf16 f:2\n"
            "  ddp=4 f:1\n"
            "  compile=aot_eager:wrap@model f:5\n"
            "  ranks=4\n");
}

TEST(Accelerate, ReadsZeroOfItsOwnAndOfANamedFile) {
  EXPECT_EQ(shown_import("distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nnum_processes: 4\n"),
            "fsdp=4:reshard=always\n  fsdp=4:reshard=always f:3\n  ranks=4\n");
  EXPECT_EQ(shown_import("distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: z.json\n", "",
                         "{\n \"zero_optimization\": {\n  \"stage\": 2}}"),
            "fsdp:reshard=never\n  fsdp:reshard=never z.json:3\n");
}

// Files that look alike and must not read the same.
TEST(Accelerate, GuessesNothing) {
  EXPECT_EQ(
      shown_import("distributed_type: FSDP\nfsdp_config:\n  fsdp_version: two\n  fsdp_new_option: 1\nnum_processes: many\n"),
      "fsdp:reshard=always\n"
      "  fsdp:reshard=always f:3\n"
      "? f:3 fsdp_config.fsdp_version: two: expected a whole number\n"
      "? f:3 fsdp_config.fsdp_version: two: that is FSDP1, and fsdp is FSDP2; what only FSDP1 has is not checked\n"
      "? f:4 fsdp_config.fsdp_new_option: 1: a key that ordercheck does not know\n"
      "? f:5 num_processes: many: expected a number of ranks, 1 or more\n");
  EXPECT_EQ(shown_import("distributed_type: ${TYPE}\n"),
            "\n? f:1 distributed_type: ${TYPE}: a variable without a plain value in this file\n");
  EXPECT_EQ(shown_import("distributed_type: TPU\n"),
            "\n? f:1 distributed_type: TPU: expected NO, MULTI_GPU, FSDP or DEEPSPEED\n");
  EXPECT_EQ(shown_import("distributed_type: NO\nmixed_precision: int8\n"),
            "\n? f:2 mixed_precision: int8: expected no, fp16, bf16 or fp8\n");
}

}  // namespace
}  // namespace ordercheck
