#include <gtest/gtest.h>

#include "import/formats.h"
#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

constexpr const char* kLlama = R"([model]
name = "llama3"
converters = ["quantize.linear.float8"]

[training]
local_batch_size = 8
seq_len = 8192

[parallelism]
data_parallel_replicate_degree = 2
data_parallel_shard_degree = 4
tensor_parallel_degree = 2
pipeline_parallel_degree = 2
pipeline_parallel_schedule = "Interleaved1F1B"
context_parallel_degree = 2
context_parallel_rotate_method = "allgather"
fsdp_reshard_after_forward = "default"
enable_async_tensor_parallel = true

[activation_checkpoint]
mode = "selective"
selective_ac_option = "op"

[compile]
enable = true
components = ["model", "loss"]
)";

TEST(Torchtitan, ReadsEveryTransform) {
  EXPECT_EQ(
      shown_import(kLlama),
      "quantize=fp8,pp=2:interleaved:microbatches=8,tp=2:loss_parallel,cp=2:all_gather,sac,compile,hsdp=2x4:reshard=default:mp="
      "bf16\n"
      "  quantize=fp8 f:3\n"
      "  pp=2:interleaved:microbatches=8 f:13\n"
      "  tp=2:loss_parallel f:12\n"
      "  cp=2:all_gather f:15\n"
      "  sac f:21\n"
      "  compile f:25\n"
      "  hsdp=2x4:reshard=default:mp=bf16 f:11\n"
      "  sequence_length=8192\n"
      "? f:18 parallelism.enable_async_tensor_parallel: true: no transform for tensor parallelism that overlaps\n");
}

TEST(Torchtitan, TakesOptionsBehindTheFile) {
  const auto none = [](const std::string&) -> Result<std::string> { return Error{"none"}; };
  const auto changed = import_text(
      kLlama, "f", none,
      {.format = "",
       .overrides = {"--parallelism.tensor_parallel_degree=4", "--compile.no_enable",
                     "--parallelism.pipeline_parallel_degree=1", "--model.converters=", "--activation_checkpoint.mode=full"}});
  ASSERT_TRUE(changed);
  EXPECT_EQ(print(changed->stack), "tp=4:loss_parallel,cp=2:all_gather,ac=full,hsdp=2x4:reshard=default:mp=bf16");
  EXPECT_EQ(in_words(changed->stack.items[0].origin), "command line");
  EXPECT_EQ(import_text(kLlama, "f", none, {.format = "", .overrides = {"--nothing"}}).error().message,
            "--nothing: expected --section.key=value after the file");
}

TEST(Torchtitan, HasTheDefaultsOfItsVersion) {
  EXPECT_EQ(shown_import("[parallelism]\ndata_parallel_shard_degree = -1\n[activation_checkpoint]\nmode = \"none\"\n"),
            "fsdp:mp=bf16\n  fsdp:mp=bf16 f:2\n");
  EXPECT_EQ(shown_import("[parallelism]\ndata_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 4\n"),
            "ac=selective:n=2,replicate=4,amp=bf16\n"
            "  ac=selective:n=2 f\n"
            "  replicate=4 f:2\n"
            "  amp=bf16 f\n");
}

TEST(Torchtitan, TakesTheOrderOfItsModel) {
  EXPECT_EQ(
      shown_import("[model]\nname = \"simple_fsdp.llama3\"\n[parallelism]\ndata_parallel_shard_degree = 2\n[compile]\nenable = "
                   "true\n[training]\nmixed_precision_param = \"float32\"\n[activation_checkpoint]\nmode = \"full\"\n"),
      "ac=full,simple_fsdp=2,compile@model\n"
      "  ac=full f:10\n"
      "  simple_fsdp=2 f:4\n"
      "  compile@model f:6\n");
  EXPECT_EQ(shown_import("[model]\nname = \"simple_fsdp.llama3\"\n[parallelism]\ndata_parallel_shard_degree = 1\n"
                         "data_parallel_replicate_degree = 2\n[activation_checkpoint]\nmode = \"none\"\n"),
            "simple_replicate=2:mp=bf16\n"
            "  simple_replicate=2:mp=bf16 f:4\n");
  EXPECT_EQ(shown_import("[model]\nname = \"gpt_oss\"\n[parallelism]\ndata_parallel_shard_degree = 2\n[compile]\nenable = "
                         "true\n[activation_checkpoint]\nmode = \"none\"\n"),
            "fsdp=2:mp=bf16\n"
            "  fsdp=2:mp=bf16 f:4\n"
            "? f:6 compile.enable: true: this model's parallelize.py has no step that compiles\n");
}

TEST(Torchtitan, GuessesNothing) {
  EXPECT_EQ(shown_import("[model]\nname = \"mine\"\n[parallelism]\ntensor_parallel_degree = \"two\"\ntensor_degree = 2\n"
                         "data_parallel_shard_degree = 0\n[activation_checkpoint]\nmode = \"memory_budget\"\n"),
            "fsdp:mp=bf16\n"
            "  fsdp:mp=bf16 f:6\n"
            "? f:2 model.name: mine: the order of this model is not known; that of llama3 is taken\n"
            "? f:4 parallelism.tensor_parallel_degree: two: expected a number of ranks, 1 or more\n"
            "? f:5 parallelism.tensor_degree: 2: a key that ordercheck does not know\n"
            "? f:6 parallelism.data_parallel_shard_degree: 0: expected -1 or a number of ranks\n"
            "? f:8 activation_checkpoint.mode: memory_budget: no transform for it\n");
}

}  // namespace
}  // namespace ordercheck
