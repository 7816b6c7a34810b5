#include "import/deepspeed.h"

#include <fmt/format.h>

#include "base/text.h"
#include "import/json_settings.h"

namespace ordercheck {
namespace {

constexpr std::string_view kOffloads = "it moves parameters or optimizer state off the device; no transform for it";
constexpr std::string_view kQuantizes = "it quantizes what ZeRO sends; no transform for it";
constexpr std::string_view kCheckpoints =
    "it is of deepspeed.checkpointing, and the file does not say whether the model calls that";

// Whether the value is "auto", which the launcher (accelerate, ...) replaces.
bool is_auto(const Setting* setting) { return setting != nullptr && setting->text == "auto"; }

std::string deepspeed_cast(Reading& reading, const std::string& cast_by_others) {
  for (const char* dtype : {"bf16", "fp16"}) {
    const std::string key = fmt::format("{}.enabled", dtype);
    if (is_auto(reading.find(key))) {
      if (cast_by_others == dtype) return dtype;
    } else if (reading.flag(key).value_or(false)) {
      return dtype;
    }
  }
  return "";
}

void add_auto_ep(Reading& reading) {
  if (!reading.flag("expert_parallel.enabled").value_or(false)) return;
  const auto degree = reading.whole("expert_parallel.autoep_size");
  if (degree.value_or(1) > 1 && *degree <= kMostImportedRanks)
    reading.add(fmt::format("ep={}", *degree), reading.where("expert_parallel.autoep_size"));
}

int add_auto_tp(Reading& reading) {
  const Setting* size = reading.find("tensor_parallel.autotp_size");
  if (size == nullptr || is_off(*size)) return 1;
  const auto degree = reading.whole(size->key);
  if (!degree || *degree < 1 || *degree > kMostImportedRanks) {
    if (degree) reading.refuse(*size, "expected a number of ranks");
    return 1;
  }
  // AutoTP all-reduces after each pair of layers and has no sequence parallelism.
  if (*degree > 1) reading.add(fmt::format("tp={}:sp=off", *degree), size->where);
  return static_cast<int>(*degree);
}

}  // namespace

const std::vector<Key>& deepspeed_keys() {
  static const std::vector<Key> keys{
      {"zero_optimization.stage", Says::read},
      {"zero_optimization.offload_*.device", Says::unmet, kOffloads},
      {"zero_optimization.offload_*", Says::nothing},
      {"zero_optimization.cpu_offload_use_pin_memory", Says::nothing},
      {"zero_optimization.cpu_offload*", Says::unmet, kOffloads},
      {"zero_optimization.zero_hpz_partition_size", Says::alone, "hpZ keeps a second copy in each node; no transform for it"},
      {"zero_optimization.mics_shard_size", Says::read},
      {"zero_optimization.mics_hierarchical_params_gather", Says::nothing},
      {"zero_optimization.zero_quantized_*", Says::unmet, kQuantizes},
      {"zero_optimization.zenflow*", Says::unmet, "ZenFlow updates parameters late; no transform for it"},
      {"zero_optimization.contiguous_gradients"},
      {"zero_optimization.reduce_scatter"},
      {"zero_optimization.reduce_bucket_size"},
      {"zero_optimization.use_multi_rank_bucket_allreduce"},
      {"zero_optimization.allgather_*"},
      {"zero_optimization.overlap_comm"},
      {"zero_optimization.load_from_fp32_weights"},
      {"zero_optimization.elastic_checkpoint"},
      {"zero_optimization.sub_group_size"},
      {"zero_optimization.stage3_*"},
      {"zero_optimization.prefetch_bucket_size"},
      {"zero_optimization.param_persistence_threshold"},
      {"zero_optimization.ignore_unused_parameters"},
      {"zero_optimization.round_robin_gradients"},
      {"zero_optimization.memory_efficient_linear"},
      {"zero_optimization.leaf_module*"},
      {"tensor_parallel.autotp_size", Says::read},
      {"tensor_parallel.partition_config*", Says::unmet, "layers split in a custom way; tp is the usual plan"},
      {"tensor_parallel.tp*.tp_size", Says::alone, "training reads autotp_size, not this"},
      {"tensor_parallel.tp_overlap_comm"},
      {"tensor_parallel.dtype"},
      {"tensor_parallel.preset_model"},
      {"expert_parallel.enabled", Says::read},
      {"expert_parallel.autoep_size", Says::read},
      {"expert_parallel.expert_tensor_parallel_size", Says::alone, "AutoEP does not run with it yet"},
      {"expert_parallel.*"},
      {"compile.deepcompile", Says::unmet, "DeepCompile puts ZeRO into the graph; no transform for it"},
      {"compile.offload_*", Says::unmet, kOffloads},
      {"compile.*"},
      {"bf16.enabled", Says::read},
      {"fp16.enabled", Says::read},
      {"amp.enabled", Says::unmet, "that is Apex; amp is torch.autocast"},
      {"torch_autocast.enabled", Says::read},
      {"torch_autocast.dtype", Says::read},
      {"activation_checkpointing.profile"},
      {"activation_checkpointing.*", Says::unmet, kCheckpoints},
      {"pipeline.*", Says::unmet, "the stages of a PipelineModule are set in code"},
      {"sequence_parallel_size", Says::alone, "cp has no exchange like Ulysses' all-to-all"},
      {"communication_data_type", Says::unmet, "there is no option for the dtype of the reduction alone"},
      {"gradient_accumulation_steps", Says::read}};
  return keys;
}

const std::vector<std::string_view>& deepspeed_sections() {
  static const std::vector<std::string_view> sections{"zero_optimization.*", "tensor_parallel.*", "expert_parallel.*",
                                                      "pipeline.*"};
  return sections;
}

void add_deepspeed(Reading& reading, const std::string& cast_by_others) {
  if (const Setting* steps = reading.find("gradient_accumulation_steps"); steps != nullptr && !is_auto(steps))
    reading.set_size("accumulation", *steps);
  if (const Setting* mics = reading.find("zero_optimization.mics_shard_size");
      mics != nullptr && whole_of(*mics).value_or(1) > 0)
    reading.refuse(*mics, "MiCS shards within groups of ranks; hsdp may be meant, but the number of groups is not in the file");
  add_auto_ep(reading);
  const int tp = add_auto_tp(reading);
  const std::string cast = deepspeed_cast(reading, cast_by_others);
  const Setting* stated = reading.find("zero_optimization.stage");
  const long long stage = stated == nullptr ? 0 : reading.whole(stated->key).value_or(-1);
  const Origin where = stated == nullptr ? reading.where("zero_optimization") : stated->where;
  const bool known = reading.ranks && *reading.ranks % tp == 0;
  const int data = known ? *reading.ranks / tp : 0;
  const std::string dtype_key = fmt::format("{}.enabled", cast);
  if (stage == 2 || stage == 3) {
    const std::string mp = cast.empty() ? "" : ":mp=" + cast;
    reading.add_data_parallel(1, data, true, where,
                              {.sharded_options = fmt::format(":reshard={}{}", stage == 3 ? "always" : "never", mp)});
    if (!cast.empty())
      reading.note(dtype_key, reading.where(dtype_key),
                   fmt::format("ZeRO reduces gradients in {} too; fsdp:mp reduces in float32", cast));
  } else if (stage == 0 || stage == 1) {
    reading.add_data_parallel(data, 1, false, where, {});
    if (stage == 1)
      reading.refuse(*stated, "ZeRO-1 shards the optimizer alone, which no transform does; to its gradients it is ddp");
    if (!cast.empty())
      reading.note(dtype_key, reading.where(dtype_key), "DeepSpeed casts the model itself; no transform for it");
  } else {
    reading.refuse(*stated, "expected a stage of ZeRO: 0, 1, 2 or 3");
  }
  if (const Setting* autocast = reading.find("torch_autocast.enabled");
      autocast != nullptr && reading.flag(autocast->key).value_or(false)) {
    const std::string dtype = lower(reading.word("torch_autocast.dtype"));
    if (dtype.empty() || dtype.find("bf") != std::string::npos)
      reading.add("amp=bf16", autocast->where);
    else
      reading.add("amp=fp16", autocast->where);
  }
}

std::optional<SettingList> deepspeed_file(const Setting& names, const ReadBeside& read,
                                          std::vector<NotUnderstood>& not_understood) {
  const auto refused = [&](const std::string& why) {
    not_understood.push_back({.text = in_words(names), .where = names.where, .why = why});
    return std::nullopt;
  };
  const auto text = read(names.text);
  if (!text) return refused(text.error().message);
  auto settings = read_json(*text, names.text);
  if (!settings) return refused(settings.error().message);
  return std::move(settings).value();
}

Imported deepspeed_stack(SettingList settings, const ReadBeside&) {
  Reading reading(std::move(settings), deepspeed_keys(), deepspeed_sections());
  add_deepspeed(reading);
  return reading.take("DeepSpeed", fixed_order("deepspeed"), "deepspeed");
}

}  // namespace ordercheck
