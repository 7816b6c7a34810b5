// Configurations of other projects: each format read as itself, whatever the bytes are.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "fuzz/formats.h"
#include "import/import.h"
#include "import/recording/recorded_stack.h"
#include "import/recording/recording.h"
#include "import/recording/story.h"
#include "stack/notation.h"
#include "unit/import/recording/recording_json.h"

namespace ordercheck::fuzz {
namespace {

std::string check_imported(const Imported& imported, std::string_view bytes) {
  const auto again = parse_stack(print(imported.stack));
  if (!again || *again != imported.stack) return "not the same when printed and read again: " + print(imported.stack);
  const auto last = static_cast<int>(std::ranges::count(bytes, '\n')) + 1;
  // Line 0: no line asks for it, since it is the project's default.
  for (const Item& item : imported.stack.items)
    if (item.origin.file.empty() || item.origin.line < 0 || item.origin.line > last) return "outside the file: " + print(item);
  for (const NotUnderstood& one : imported.not_understood) {
    if (one.where.line < 0 || one.where.line > last) return "outside the file: " + one.text;
    if (one.text.empty() || one.why.empty()) return "not understood, and nothing says what or why";
    if (one_line(one.text) != one.text) return "more than a line: " + one.text;
  }
  for (const auto& [name, size] : imported.sizes)
    if (size < 0) return "a size below 0: " + name;
  return imported.order_from.empty() ? "nothing says who fixes the order" : "";
}

std::string check_import(std::string_view bytes, const std::string& format) {
  // The file that it names has the same bytes.
  const auto beside = [&](const std::string&) -> Result<std::string> { return std::string(bytes); };
  const auto imported = import_text(bytes, "f", beside, {.format = format, .overrides = {}});
  if (!imported) return check_message(imported.error().message, "f");
  return check_imported(*imported, bytes);
}

std::string check_accelerate(std::string_view bytes) { return check_import(bytes, "accelerate"); }
std::string check_axolotl(std::string_view bytes) { return check_import(bytes, "axolotl"); }
std::string check_automodel(std::string_view bytes) { return check_import(bytes, "automodel"); }
std::string check_deepspeed(std::string_view bytes) { return check_import(bytes, "deepspeed"); }
std::string check_megatron(std::string_view bytes) { return check_import(bytes, "megatron"); }
std::string check_torchtitan(std::string_view bytes) { return check_import(bytes, "torchtitan"); }

std::string check_prime_rl(std::string_view bytes) { return check_import(bytes, "prime-rl"); }
std::string check_verl(std::string_view bytes) { return check_import(bytes, "verl"); }

std::string check_recording(std::string_view bytes) {
  const auto recording = parse_recording(bytes, "f");
  if (!recording) return check_message(recording.error().message);
  const Imported imported = recorded_stack(*recording);
  const auto again = parse_stack(print(imported.stack));
  if (!again || *again != imported.stack) return "not the same when printed and read again: " + print(imported.stack);
  return tell_recording(*recording).empty() ? "it tells nothing" : "";
}

// As it comes: its format is found.
std::string check_configuration(std::string_view bytes) { return check_import(bytes, ""); }

std::vector<std::string> accelerate_corpus() {
  return {
      "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\nnum_processes: 8\n"
      "mixed_precision: bf16\nparallelism_config: {parallelism_config_tp_size: 2}\n",
      "distributed_type: MULTI_GPU\nnum_processes: 2\ndynamo_config: &d {dynamo_backend: inductor}\nx: *d\n<<: *d\n",
      "distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3, deepspeed_config_file: z.json}\n"};
}

std::vector<std::string> axolotl_corpus() {
  return {"base_model: m\nbf16: true\ngradient_checkpointing: true\nfsdp_version: 2\nfsdp_config:\n  offload_params: true\n",
          "base_model: m\nfsdp: [full_shard, auto_wrap]\ntorch_compile: auto\ncontext_parallel_size: 2\n",
          "base_model: m\ndeepspeed: z.json\n", "base_model: m\ndeepspeed:\n  zero_optimization: {stage: 2}\n"};
}

std::vector<std::string> automodel_corpus() {
  return {
      "distributed:\n  strategy: fsdp2\n  dp_size: 8\n  tp_size: 2\n  pipeline: {pp_schedule: 1f1b}\n  "
      "activation_checkpointing: "
      "selective\n",
      "distributed:\n  _target_: a.b.FSDP2Manager\n  ep_size: 8\nautopipeline: {pp_microbatch_size: 2}\n"};
}

std::vector<std::string> deepspeed_corpus() {
  return {"{\"zero_optimization\": {\"stage\": 3, \"offload_param\": {\"device\": \"cpu\"}}, \"bf16\": {\"enabled\": true}}",
          "{\"tensor_parallel\": {\"autotp_size\": 2}, // c\n\"expert_parallel\": {\"enabled\": true, \"autoep_size\": 4}}"};
}

std::vector<std::string> megatron_corpus() {
  return {"#!/bin/bash\nTP=${TP:-2}\nARGS=(\n  --tensor-model-parallel-size $TP\n  --bf16\n)\nrun ${ARGS[@]} --num-layers 2\n",
          "if x; then\n  run --tensor-model-parallel-size=2 '--fp8-format hybrid'\nfi\n",
          "MODEL_ARGS:\n  --tensor-model-parallel-size: 2\n  --recompute-granularity: full\n"};
}

std::vector<std::string> torchtitan_corpus() {
  return {
      "[model]\nname = \"llama3\"\nconverters = [\"quantize.linear.float8\"]\n[parallelism]\ntensor_parallel_degree = 2\n"
      "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"op\"\n[compile]\nenable = true\n",
      "[model]\nname = \"autoparallel.llama3\"\n[training]\nseq_len = 8\n"};
}

std::vector<std::string> prime_rl_corpus() {
  return {
      "seq_len = 8\n[deployment]\nnum_train_gpus = 8\n[trainer.model]\ncp = 2\ndp_replicate = 2\nep = \"auto\"\ncompile = "
      "\"None\"\n"
      "[trainer.model.ac]\nmode = \"selective\"\nfreq = 2\n"};
}

std::vector<std::string> verl_corpus() {
  return {
      "actor_rollout_ref:\n  actor:\n    strategy: fsdp2\n    fsdp_config: {fsdp_size: 4, param_offload: true}\n  model: "
      "{enable_gradient_checkpointing: true}\ntrainer: {n_gpus_per_node: 8, nnodes: 2}\n",
      "actor_rollout_ref:\n  actor:\n    strategy: megatron\n    megatron: {tensor_model_parallel_size: 2, "
      "override_transformer_config: {recompute_granularity: full}}\n"};
}

std::vector<std::string> recording_corpus() {
  return {recording_json({{tp_site("\"w1\": \"ColwiseParallel\""), kBlocks}, {ac_site(), kBlocks}, {fsdp_site(), {""}}}),
          recording_json({{"\"call\": \"pipeline stage\", \"mesh\": 0", {""}},
                          {"\"call\": \"pipeline schedule\", \"options\": {\"class\": \"ScheduleGPipe\"}", {}}}),
          recording_json({{optimizer_site(), {}}, {compile_site(), kBlocks}},
                         ", \"optimizers\": [{\"event\": 0, \"parameters\": 4, \"not_in_model\": 4, \"stepped\": true}]")};
}

std::vector<std::string> configuration_corpus() {
  std::vector<std::string> all;
  for (auto corpus : {accelerate_corpus, axolotl_corpus, automodel_corpus, deepspeed_corpus, megatron_corpus, torchtitan_corpus,
                      prime_rl_corpus, verl_corpus})
    for (const std::string& text : corpus()) all.push_back(text);
  return all;
}

constexpr const char* kYamlWords =
    ": - ? # & * &a *a << : | > ' \" { } [ ] , !!str ! % --- ... \\n \t \xEF\xBB\xBF null ~ yes 0 -1 2 1e9 "
    "99999999999999999999 auto $X "
    "[[[[ {a: ";
constexpr const char* kShellWords =
    "$ ${ } ${X:-2} $(x) ` ' \" \\ # ; | & ( ) = += if fi for done case esac --a --a=2 X=1 X=$X \t \n $X$X 0 -1 "
    "99999999999999999999";
constexpr const char* kImportJsonWords =
    "{ } [ ] , : \" null true -1 0 1.5 1e30 9223372036854775808 {} [] // /* */ [[[[[ \"stage\"";
constexpr const char* kImportTomlWords = "= [ ] [[ ]] { } \" ' # . , -1 0 2 true inf 1979-05-27 \"op\" [model] name \n";

}  // namespace

std::vector<Format> configuration_formats() {
  return {{"accelerate", check_accelerate, accelerate_corpus, kYamlWords},
          {"axolotl", check_axolotl, axolotl_corpus, kYamlWords},
          {"automodel", check_automodel, automodel_corpus, kYamlWords},
          {"deepspeed", check_deepspeed, deepspeed_corpus, kImportJsonWords},
          {"megatron", check_megatron, megatron_corpus, kShellWords},
          {"torchtitan", check_torchtitan, torchtitan_corpus, kImportTomlWords},
          {"prime_rl", check_prime_rl, prime_rl_corpus, kImportTomlWords},
          {"verl", check_verl, verl_corpus, kYamlWords},
          {"recording", check_recording, recording_corpus, kImportJsonWords},
          {"configuration", check_configuration, configuration_corpus, kYamlWords}};
}

}  // namespace ordercheck::fuzz
