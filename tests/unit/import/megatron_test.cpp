#include "import/megatron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(Megatron, ReadsAScript) {
  EXPECT_EQ(
      shown_import("#!/bin/bash\n"
                   "TP_SIZE=${TP_SIZE:-2}\n"
                   "GPUS=8\n"
                   "DISTRIBUTED_ARGS=(\n"
                   "    --nproc_per_node $GPUS\n"
                   "    --nnodes 2\n"
                   ")\n"
                   "MODEL_PARALLEL_ARGS=(\n"
                   "    --tensor-model-parallel-size $TP_SIZE\n"
                   "    # --context-parallel-size 2\n"
                   "    --pipeline-model-parallel-size 4  # stages\n"
                   "    --sequence-parallel\n"
                   ")\n"
                   "torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py --num-layers 32 --micro-batch-size=1 \\\n"
                   "    --global-batch-size 16 --recompute-granularity full --lr 1e-4 ${MODEL_PARALLEL_ARGS[@]} \\\n"
                   "    --use-distributed-optimizer --bf16\n"),
      "pp=4:1f1b:microbatches=8,tp=2:loss_parallel,ac=full,ddp=2\n"
      "  pp=4:1f1b:microbatches=8 f:11\n"
      "  tp=2:loss_parallel f:9\n"
      "  ac=full f:15\n"
      "  ddp=2 f:16\n"
      "  ranks=16\n"
      "  layers=32\n"
      "? f:16 --use-distributed-optimizer: true: it shards the optimizer alone, which no transform does; to its gradients it "
      "is ddp\n"
      "? f:16 --bf16: Megatron casts the model itself; no transform for it\n");
}

TEST(Megatron, SaysWhatMegatronItselfRefuses) {
  const auto notes = [](const std::string& options) {
    return shown_import("#!/bin/bash\ntorchrun pretrain_gpt.py --num-attention-heads 8 \\\n " + options + "\n");
  };
  const std::string refusal =
      "? f:3 --optimizer muon with --use-torch-fsdp2: Megatron-LM asserts that Muon is not used with it\n";
  EXPECT_THAT(notes("--optimizer muon --use-torch-fsdp2"), testing::HasSubstr(refusal));
  EXPECT_THAT(notes("--optimizer adam --use-torch-fsdp2"), testing::Not(testing::HasSubstr("asserts")));
  EXPECT_THAT(notes("--optimizer muon"), testing::Not(testing::HasSubstr("asserts")));
}

TEST(Megatron, ReadsAModelConfig) {
  EXPECT_EQ(shown_import("ENV_VARS:\n"
                         "  NCCL_ALGO: Ring\n"
                         "MODEL_ARGS:\n"
                         "  --num-attention-heads: 8\n"
                         "  --tensor-model-parallel-size: 2\n"
                         "  --context-parallel-size: 2\n"
                         "  --expert-model-parallel-size: 2\n"
                         "  --sequence-parallel: true\n"
                         "  --use-torch-fsdp2: true\n"
                         "  --untie-embeddings-and-output-weights: true\n"
                         "  --recompute-granularity: selective\n"
                         "  --data-path: ${DATA_PATH}/text\n"),
            "tp=2:loss_parallel,ep=2:etp=2,cp=2:ring:balance=head_tail,ac@attention,fsdp:reshard=always\n"
            "  tp=2:loss_parallel f:5\n"
            "  ep=2:etp=2 f:7\n"
            "  cp=2:ring:balance=head_tail f:6\n"
            "  ac@attention f:11\n"
            "  fsdp:reshard=always f:9\n"
            "  heads=8\n"
            "  tied=0\n");
}

// A file that looks alike and must not read the same.
TEST(Megatron, CountsNothingThatMayNotHold) {
  EXPECT_EQ(shown_import("#!/bin/bash\n"
                         "TP=2\n"
                         "TP=4\n"
                         "PP=$((2 * 2))\n"
                         "if [ \"$BIG\" = 1 ]; then\n"
                         "  ARGS=\"--context-parallel-size 2 --lr 1\"\n"
                         "fi\n"
                         "python pretrain.py --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP \\\n"
                         "  --expert-model-parallel-size 2 --new-parallel-thing 3\n"
                         "python pretrain.py --expert-model-parallel-size 4 '--fp8-format hybrid'\n"),
            "quantize=fp8,ddp\n"
            "  quantize=fp8 f:10\n"
            "  ddp f\n"
            "? f:6 --context-parallel-size: 2: under a condition, or stated twice; it is not counted\n"
            "? f:8 --tensor-model-parallel-size: $TP: a variable without a plain value in this file\n"
            "? f:8 --pipeline-model-parallel-size: $PP: a variable without a plain value in this file\n"
            "? f:9 --new-parallel-thing: 3: a key that ordercheck does not know\n"
            "? f:9 --expert-model-parallel-size: 2: under a condition, or stated twice; it is not counted\n"
            "? f:10 --expert-model-parallel-size: 4: under a condition, or stated twice; it is not counted\n");
}

}  // namespace
}  // namespace ordercheck
