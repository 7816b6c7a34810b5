#include "import/megatron.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "import/reading.h"

namespace ordercheck {
namespace {

constexpr std::string_view kArguments = "MODEL_ARGS.";

const std::vector<Key>& megatron_keys() {
  static const std::vector<Key> keys{
      {"--tensor-model-parallel-size", Says::degree, "tp"},
      {"--model-parallel-size", Says::degree, "tp"},
      {"--sequence-parallel", Says::read},
      {"--pipeline-model-parallel-size", Says::degree, "pp"},
      {"--num-layers-per-virtual-pipeline-stage", Says::read},
      {"--num-virtual-stages-per-pipeline-rank", Says::read},
      {"--pipeline-model-parallel-layout", Says::unmet, "stages cut in a way of their own; pp has no word for it"},
      {"--decoder-*-pipeline-num-layers", Says::unmet, "stages cut in a way of their own; pp has no word for it"},
      {"--account-for-*-in-pipeline-split", Says::unmet, "stages cut in a way of their own; pp has no word for it"},
      {"--context-parallel-size", Says::degree, "cp"},
      {"--cp-comm-type", Says::read},
      {"--hierarchical-context-parallel-sizes", Says::unmet, "cp has no word for two levels of it"},
      {"--hybrid-context-parallel", Says::unmet, "cp has no word for sequences split each in its own way"},
      {"--expert-model-parallel-size", Says::degree, "ep"},
      {"--expert-tensor-parallel-size", Says::degree, "etp"},
      {"--use-distributed-optimizer", Says::unmet,
       "it shards the optimizer alone, which no transform does; to its gradients it is ddp"},
      {"--num-distributed-optimizer-instances", Says::alone, "optimizer state sharded over a part of the replicas"},
      {"--optimizer", Says::read},
      {"--use-torch-fsdp2", Says::read},
      {"--torch-fsdp2-no-reshard-after-forward", Says::read},
      {"--use-megatron-fsdp", Says::read},
      {"--use-custom-fsdp", Says::read},
      {"--megatron-fsdp-version"},
      {"--data-parallel-sharding-strategy", Says::read},
      {"--outer-dp-sharding-strategy", Says::unmet, "no transform for shards of replicas"},
      {"--enable-full-sharding-in-hsdp", Says::unmet, "no transform for shards of replicas"},
      {"--fsdp-*"},
      {"--megatron-fsdp-*"},
      {"--*overlap*"},
      {"--ckpt-fully-parallel-*"},
      {"--recompute-granularity", Says::read},
      {"--recompute-activations", Says::read},
      {"--recompute-method", Says::read},
      {"--recompute-num-layers", Says::read},
      {"--recompute-modules", Says::read},
      {"--distribute-saved-activations", Says::unmet, "no option of ac splits what is saved over the ranks of tp"},
      {"--cpu-offloading*", Says::unmet, kOffDevice},
      {"--optimizer-cpu-offload", Says::unmet, kOffDevice},
      {"--fine-grained-activation-offloading", Says::unmet, kOffDevice},
      {"--bf16", Says::read},
      {"--fp16", Says::read},
      {"--fp8-format", Says::read},
      {"--fp4-format", Says::unmet, "quantize has no word for this format"},
      {"--fp8-param-gather", Says::unmet, "no transform for a gather in fp8"},
      {"--enable-cuda-graph", Says::unmet, "no transform for CUDA graphs"},
      {"--external-cuda-graph", Says::unmet, "no transform for CUDA graphs"},
      {"--cuda-graph-impl", Says::unmet, "no transform for CUDA graphs"},
      {"--nproc*per*node", Says::read},
      {"--nnodes", Says::read},
      {"--num-layers", Says::size, "layers"},
      {"--hidden-size", Says::size, "dim"},
      {"--ffn-hidden-size", Says::size, "ffn_hidden"},
      {"--num-attention-heads", Says::size, "heads"},
      {"--num-query-groups", Says::size, "kv_heads"},
      {"--kv-channels", Says::size, "head_dim"},
      {"--seq-length", Says::size, "sequence_length"},
      {"--num-experts", Says::size, "experts"},
      {"--untie-embeddings-and-output-weights", Says::read},
      {"--micro-batch-size", Says::read},
      {"--global-batch-size", Says::read},
      {"--*inference*"},
      {"--rl-*"}};
  return keys;
}

const std::vector<std::string_view>& megatron_sections() {
  static const std::vector<std::string_view> sections{"--*parallel*", "--*fsdp*", "--*recompute*", "--*shard*", "--*offload*"};
  return sections;
}

void add_megatron_pipeline(Reading& reading, int data) {
  const bool interleaves =
      reading.has("--num-layers-per-virtual-pipeline-stage") || reading.has("--num-virtual-stages-per-pipeline-rank");
  std::string options = interleaves ? ":interleaved" : ":1f1b";
  const Setting *whole = reading.find("--global-batch-size"), *each = reading.find("--micro-batch-size");
  const long long batch = whole ? whole_of(*whole).value_or(0) : 0, micro = each ? whole_of(*each).value_or(0) : 0;
  // Both schedules use as many microbatches as a rank has in the global batch.
  const bool known = data > 0 && batch > 0 && batch <= kMostImportedRanks && micro > 0 && micro <= kMostImportedRanks;
  if (known && batch % (micro * data) == 0) options += fmt::format(":microbatches={}", batch / (micro * data));
  reading.add_degree("pp", options);
}

void add_megatron_cp(Reading& reading) {
  const std::string exchange = reading.has("--cp-comm-type") ? reading.word("--cp-comm-type") : "p2p";
  std::string options;
  if (exchange == "p2p")
    options = ":ring:balance=head_tail";
  else if (exchange == "all_gather")
    options = ":all_gather:balance=head_tail";
  else
    reading.refuse(*reading.find("--cp-comm-type"), "cp has no word for this exchange");
  reading.add_degree("cp", options);
}

void add_megatron_recompute(Reading& reading) {
  const Setting* granularity = reading.find("--recompute-granularity");
  const bool selective = reading.flag("--recompute-activations").value_or(false);
  if (granularity == nullptr && !selective) return;
  const Setting& asked = granularity ? *granularity : *reading.find("--recompute-activations");
  if (granularity == nullptr || asked.text == "selective") {
    reading.add("ac@attention", asked.where);
    if (const Setting* modules = reading.find("--recompute-modules"); modules && modules->text != "core_attn")
      reading.refuse(*modules, "no scope for these modules; the core of attention alone is read");
  } else if (asked.text == "full") {
    reading.add("ac=full", asked.where);
    const std::string method = reading.word("--recompute-method");
    const auto count = reading.whole("--recompute-num-layers");
    if (method == "block" && count)
      reading.refuse(*reading.find("--recompute-num-layers"), "so many layers of a stage alone; ac is of every block");
    else if (count.value_or(1) > 1)
      reading.refuse(*reading.find("--recompute-num-layers"), "several layers as one checkpoint; ac is of each block");
  } else {
    reading.refuse(asked, "expected full or selective");
  }
}

void add_megatron_data(Reading& reading, int data) {
  if (reading.flag("--use-torch-fsdp2").value_or(false)) {
    const bool keeps = reading.flag("--torch-fsdp2-no-reshard-after-forward").value_or(false);
    return reading.add_data_parallel(1, data, true, reading.where("--use-torch-fsdp2"),
                                     {.sharded_options = keeps ? ":reshard=never" : ":reshard=always"});
  }
  for (const char* key : {"--use-megatron-fsdp", "--use-custom-fsdp"}) {
    if (!reading.flag(key).value_or(false)) continue;
    const std::string strategy = reading.has("--data-parallel-sharding-strategy")
                                     ? reading.word("--data-parallel-sharding-strategy")
                                     : "optim_grads_params";
    reading.note(key, reading.where(key), "that is Megatron-FSDP, read as FSDP2; what only Megatron-FSDP has is not checked");
    if (strategy == "optim_grads_params" || strategy == "optim_grads")
      return reading.add_data_parallel(1, data, true, reading.where(key),
                                       {.sharded_options = strategy == "optim_grads" ? ":reshard=never" : ":reshard=always"});
    if (strategy != "no_shard")
      reading.refuse(*reading.find("--data-parallel-sharding-strategy"),
                     "it acts on gradients as ddp does; the rest has no transform");
    return reading.add_data_parallel(data, 1, false, reading.where(key), {});
  }
  // Megatron-LM wraps every model in DDP by default.
  reading.add_data_parallel(data, 1, false, reading.where("--use-distributed-optimizer"), {});
}

// Megatron-LM's arguments.py raises on these.
void refuse_muon(Reading& reading) {
  if (!reading.has("--optimizer") || reading.word("--optimizer").find("muon") == std::string::npos) return;
  for (const char* key : {"--use-torch-fsdp2", "--use-megatron-fsdp"})
    if (reading.flag(key).value_or(false))
      reading.note(fmt::format("--optimizer {} with {}", reading.word("--optimizer"), key), reading.where("--optimizer"),
                   "Megatron-LM asserts that Muon is not used with it", NoteKind::refused);
}

int megatron_ranks(Reading& reading) {
  std::optional<long long> each;
  for (const char* key : {"--nproc_per_node", "--nproc-per-node"})
    if (const Setting* setting = reading.find(key)) each = whole_of(*setting);
  const Setting* nodes = reading.find("--nnodes");
  const auto count = nodes ? whole_of(*nodes) : std::optional<long long>(1);
  if (!each || !count || *each < 1 || *count < 1 || *each > 100'000 || *count > 100'000) return 0;
  const long long ranks = *each * *count;
  return ranks > kMostImportedRanks ? 0 : static_cast<int>(ranks);
}

// Reports uncertain settings that affect the order.
std::vector<NotUnderstood> doubts(const SettingList& doubtful) {
  std::vector<NotUnderstood> told;
  for (const Setting& one : doubtful) {
    const auto key = std::ranges::find_if(megatron_keys(), [&](const Key& row) { return glob_match(row.pattern, one.key); });
    const bool matters =
        key != megatron_keys().end()
            ? key->says != Says::nothing && key->says != Says::size
            : std::ranges::any_of(megatron_sections(), [&](auto section) { return glob_match(section, one.key); });
    if (matters)
      told.push_back(
          {.text = in_words(one), .where = one.where, .why = "under a condition, or stated twice; it is not counted"});
  }
  return told;
}

}  // namespace

ShellSettings megatron_arguments(SettingList settings) {
  ShellSettings read;
  for (Setting& setting : settings) {
    if (!setting.key.starts_with(kArguments) || setting.text == "false") continue;
    setting.key = setting.key.substr(kArguments.size());
    read.certain.push_back(std::move(setting));
  }
  return read;
}

Imported megatron_stack(ShellSettings settings) {
  const std::vector<NotUnderstood> open = doubts(settings.doubtful);
  Reading reading(std::move(settings.certain), megatron_keys(), megatron_sections());
  for (const NotUnderstood& one : open) reading.note(one.text, one.where, one.why);
  const int tp = reading.degree("tp"), cp = reading.degree("cp");
  const long long others = static_cast<long long>(tp) * cp * reading.degree("pp");
  if (const int ranks = megatron_ranks(reading); ranks > 0) reading.ranks = ranks;
  const int data = reading.ranks && *reading.ranks % others == 0 ? static_cast<int>(*reading.ranks / others) : 0;
  add_megatron_pipeline(reading, data);
  const bool sequence = reading.flag("--sequence-parallel").value_or(false);
  // Megatron-LM computes the cross entropy on logits that are split over the vocabulary.
  reading.add_degree("tp", sequence ? ":loss_parallel" : ":sp=off:loss_parallel");
  const int etp = reading.states_degree("etp") ? reading.degree("etp") : tp;
  reading.add_degree("ep", etp > 1 ? fmt::format(":etp={}", etp) : "");
  add_megatron_cp(reading);
  add_megatron_recompute(reading);
  if (reading.has("--fp8-format")) reading.add("quantize=fp8", reading.where("--fp8-format"));
  add_megatron_data(reading, data);
  for (const char* dtype : {"--bf16", "--fp16"})
    if (reading.flag(dtype).value_or(false))
      reading.note(dtype, reading.where(dtype), "Megatron casts the model itself; no transform for it");
  refuse_muon(reading);
  if (reading.flag("--untie-embeddings-and-output-weights").value_or(false)) reading.set_flag("tied", false);
  return reading.take("Megatron arguments", fixed_order("megatron"), "megatron");
}

}  // namespace ordercheck
