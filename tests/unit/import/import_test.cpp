#include "import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Import, SaysWhatItLookedFor) {
  EXPECT_EQ(
      shown_import("a: 1\n"),
      "f:1: no format that is known; looked for the keys of accelerate (distributed_type or compute_environment), automodel "
      "(distributed.strategy or distributed._target_ or distributed.dp_size), axolotl (base_model), deepspeed "
      "(zero_optimization* or train_micro_batch_size_per_gpu or train_batch_size), megatron (MODEL_ARGS.--*), prime-rl "
      "(trainer.model.* or orchestrator.* or deployment.num_train_gpus), torchtitan (parallelism.*_degree or "
      "job.dump_folder or training.seq_len), verl (actor_rollout_ref.*); --as NAME says which it is");
  EXPECT_THAT(shown_import("#!/bin/bash\necho --tensor-model-parallel-size:\n"),
              StartsWith("f:1: a script without Megatron-LM's options"));
  EXPECT_THAT(shown_import(""), StartsWith("f:1: no format that is known"));
}

TEST(Import, TakesTheFormatThatIsForced) {
  EXPECT_EQ(shown_import("base_model: m\ndistributed_type: NO\n"),
            "f:1: it may be of accelerate or of axolotl; say which with --as");
  EXPECT_EQ(shown_import("base_model: m\ndistributed_type: NO\n", "accelerate"), "\n");
  EXPECT_EQ(shown_import("fsdp_version: 2\nfsdp_config: {reshard_after_forward: false}\n", "axolotl"),
            "fsdp:reshard=never\n  fsdp:reshard=never f:1\n");
  EXPECT_THAT(shown_import("a: 1\n", "acelerate"),
              HasSubstr("--as acelerate: no format of that name; did you mean 'accelerate'?"));
}

TEST(Import, FindsTheSyntaxByTheText) {
  EXPECT_EQ(shown_import("\xEF\xBB\xBF{\"train_batch_size\": 8}"), "ddp\n  ddp f\n");
  EXPECT_EQ(shown_import("# c\n[training]\nseq_len = 8\n[activation_checkpoint]\nmode = \"none\"\n"),
            "fsdp:mp=bf16\n  fsdp:mp=bf16 f\n  sequence_length=8\n");
  EXPECT_THAT(shown_import("{\"train_batch_size\": 8,}"), StartsWith("f:1: no JSON: syntax error"));
  // JSON has no such comments, and YAML has braces.
  EXPECT_THAT(shown_import("# c\n{\n  \"pipe_parallel_size\": 1,\n}\n"), StartsWith("f:1: no format that is known"));
  // A command, with or without variables before it.
  for (const char* script :
       {"N=8 \\\nmegatron sft \\\n --tensor_model_parallel_size 4\n", "accelerate launch \\\n x.py\n", "--num-layers 8\n"})
    EXPECT_THAT(shown_import(script), StartsWith("f:1: a script without Megatron-LM's options")) << script;
  EXPECT_THAT(shown_import("[training]\nseq_len = = 8\n"), StartsWith("f:2: no TOML: "));
}

}  // namespace
}  // namespace ordercheck
