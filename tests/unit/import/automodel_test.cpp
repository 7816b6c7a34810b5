#include <gtest/gtest.h>

#include "import/formats.h"
#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(AutoModel, ReadsAStrategy) {
  EXPECT_EQ(shown_import("recipe: TrainFinetuneRecipeForNextTokenPrediction\n"
                         "step_scheduler:\n"
                         "  local_batch_size: 8\n"
                         "compile:\n"
                         "  enabled: true\n"
                         "distributed:\n"
                         "  strategy: fsdp2\n"
                         "  dp_size: none\n"
                         "  dp_replicate_size: 2\n"
                         "  tp_size: 2\n"
                         "  pp_size: 2\n"
                         "  cp_size: 1\n"
                         "  sequence_parallel: false\n"
                         "  activation_checkpointing: true\n"
                         "  enable_compile: true\n"
                         "  pipeline:\n"
                         "    pp_schedule: interleaved1f1b\n"
                         "    pp_microbatch_size: 2\n"),
            "pp=2:interleaved:microbatches=4,tp=2:sp=off,ac,hsdp:mp=bf16,compile\n"
            "  pp=2:interleaved:microbatches=4 f:11\n"
            "  tp=2:sp=off f:10\n"
            "  ac f:14\n"
            "  hsdp:mp=bf16 f:8\n"
            "  compile f:15\n"
            "? f:5 compile.enabled: true: with FSDP2 distributed.enable_compile compiles, and this does nothing\n");
}

TEST(AutoModel, ReadsTheClassOfAManager) {
  EXPECT_EQ(shown_import("distributed:\n"
                         "  _target_: nemo_automodel.components.distributed.fsdp2.FSDP2Manager\n"
                         "  dp_size: 8\n"
                         "  ep_size: 8\n"
                         "  cp_size: 2\n"
                         "  sequence_parallel: false\n"
                         "autopipeline:\n"
                         "  pp_schedule: 1f1b\n"
                         "distributed_other: 1\n"),
            "cp=2,ep=8,fsdp=8:mp=bf16\n"
            "  cp=2 f:5\n"
            "  ep=8 f:4\n"
            "  fsdp=8:mp=bf16 f:3\n");
}

TEST(AutoModel, GuessesNothing) {
  EXPECT_EQ(
      shown_import("distributed:\n  strategy: fsdp3\n  tp_size: big\n  mesh: 2\n  mp_policy: {reduce_dtype: bfloat16}\n"),
      "fsdp:mp=bf16\n"
      "  fsdp:mp=bf16 f:2\n"
      "? f:2 distributed.strategy: fsdp3: expected fsdp2, megatron_fsdp or ddp; read as fsdp2\n"
      "? f:3 distributed.tp_size: big: expected a number of ranks, or none\n"
      "? f:4 distributed.mesh: 2: a key that ordercheck does not know\n"
      "? f:5 distributed.mp_policy.reduce_dtype: bfloat16: mp reduces in float32; there is no option for another dtype\n");
}

}  // namespace
}  // namespace ordercheck
