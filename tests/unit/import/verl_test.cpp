#include <gtest/gtest.h>

#include "import/formats.h"
#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(Verl, ReadsTheActorOfFsdp2) {
  EXPECT_EQ(shown_import("actor_rollout_ref:\n"
                         "  model:\n"
                         "    enable_gradient_checkpointing: true\n"
                         "  actor:\n"
                         "    strategy: fsdp2\n"
                         "    fsdp_config:\n"
                         "      fsdp_size: 4\n"
                         "      reshard_after_forward: true\n"
                         "      param_offload: true\n"
                         "      shards: 2\n"
                         "    ulysses_sequence_parallel_size: 1\n"
                         "trainer: {n_gpus_per_node: 8, nnodes: 2}\n"),
            "ac,hsdp=4x4:reshard=always:mp=bf16\n"
            "  ac f:3\n"
            "  hsdp=4x4:reshard=always:mp=bf16 f:7\n"
            "  ranks=16\n"
            "? f:9 actor.fsdp_config.param_offload: true: no transform for offloading\n"
            "? f:10 actor.fsdp_config.shards: 2: a key that ordercheck does not know\n");
}

TEST(Verl, ReadsTheArgumentsOfMegatron) {
  EXPECT_EQ(shown_import("actor_rollout_ref:\n"
                         "  actor:\n"
                         "    strategy: megatron\n"
                         "    megatron:\n"
                         "      tensor_model_parallel_size: 2\n"
                         "      pipeline_model_parallel_size: 2\n"
                         "      context_parallel_size: ${oc.select:x,1}\n"
                         "      override_transformer_config:\n"
                         "        recompute_granularity: full\n"
                         "trainer:\n"
                         "  n_gpus_per_node: 8\n"
                         "  nnodes: 1\n"),
            "pp=2:1f1b,tp=2:loss_parallel,ac=full,ddp=2\n"
            "  pp=2:1f1b f:6\n"
            "  tp=2:loss_parallel f:5\n"
            "  ac=full f:9\n"
            "  ddp=2 f\n"
            "  ranks=8\n"
            "? f:7 --context-parallel-size: ${oc.select:x,1}: a variable without a plain value in this file\n");
}

TEST(Verl, GuessesNothing) {
  EXPECT_EQ(shown_import("actor_rollout_ref:\n  actor:\n    strategy: veomni\n"),
            "\n? f:3 actor.strategy: veomni: expected fsdp, fsdp2 or megatron\n");
}

}  // namespace
}  // namespace ordercheck
