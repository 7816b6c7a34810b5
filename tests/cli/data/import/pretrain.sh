#!/bin/bash
GPUS_PER_NODE=8
TP_SIZE=${TP_SIZE:-2}
MODEL_PARALLEL_ARGS=(
  --tensor-model-parallel-size $TP_SIZE
  --pipeline-model-parallel-size 2
  --sequence-parallel
)
if [ "$LONG" = 1 ]; then
  MODEL_PARALLEL_ARGS+=(--context-parallel-size 2)
fi
torchrun --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py \
  --num-layers 32 --recompute-granularity full --use-distributed-optimizer ${MODEL_PARALLEL_ARGS[@]}
