#include "import/deepspeed.h"

#include <gtest/gtest.h>

#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(DeepSpeed, ReadsZeroAndAutoTp) {
  EXPECT_EQ(shown_import("{\n"
                         "  // of a run\n"
                         "  \"gradient_accumulation_steps\": 4,\n"
                         "  \"zero_optimization\": {\n"
                         "    \"stage\": 3,\n"
                         "    \"overlap_comm\": true,\n"
                         "    \"offload_optimizer\": {\"device\": \"cpu\"}\n"
                         "  },\n"
                         "  \"tensor_parallel\": {\"autotp_size\": 2},\n"
                         "  \"expert_parallel\": {\"enabled\": true, \"autoep_size\": 4}\n"
                         "}\n"),
            "ep=4,tp=2:sp=off,fsdp:reshard=always\n"
            "  ep=4 f:10\n"
            "  tp=2:sp=off f:9\n"
            "  fsdp:reshard=always f:5\n"
            "  accumulation=4\n"
            "? f:7 zero_optimization.offload_optimizer.device: cpu: it moves parameters or optimizer state off the device; no "
            "transform for it\n");
}

TEST(DeepSpeed, SaysWhatZero1IsAndWhatCasts) {
  EXPECT_EQ(
      shown_import("{\"zero_optimization\": {\"stage\": 1},\n\"bf16\": {\"enabled\": true}}"),
      "ddp\n"
      "  ddp f:1\n"
      "? f:1 zero_optimization.stage: 1: ZeRO-1 shards the optimizer alone, which no transform does; to its gradients it is "
      "ddp\n"
      "? f:2 bf16.enabled: DeepSpeed casts the model itself; no transform for it\n");
}

TEST(DeepSpeed, GuessesNothing) {
  EXPECT_EQ(shown_import("{\"zero_optimization\": {\"stage\": \"three\", \"stages\": 3}}"),
            "\n? f:1 zero_optimization.stages: 3: a key that ordercheck does not know\n"
            "? f:1 zero_optimization.stage: three: expected a whole number\n"
            "? f:1 zero_optimization.stage: three: expected a stage of ZeRO: 0, 1, 2 or 3\n");
  EXPECT_EQ(
      shown_import("{\"zero_optimization\": {\"stage\": 2, \"zero_hpz_partition_size\": 8},\n\"activation_checkpointing\": "
                   "{\"partition_activations\": true}}"),
      "fsdp:reshard=never\n"
      "  fsdp:reshard=never f:1\n"
      "? f:1 zero_optimization.zero_hpz_partition_size: 8: hpZ keeps a second copy in each node; no transform for it\n"
      "? f:2 activation_checkpointing.partition_activations: true: it is of deepspeed.checkpointing, and the file does not say "
      "whether the model calls that\n");
}

}  // namespace
}  // namespace ordercheck
