// Reads NeMo AutoModel's YAML: 36044ad3d (2026-08-22), components/distributed/config.py, mesh.py and pipelining/config.py. The
// older dialect names its manager class in distributed._target_. The model decides which modules of a layer are checkpointed.
#include <fmt/format.h>

#include "base/text.h"
#include "import/formats.h"
#include "import/reading.h"

namespace ordercheck {
namespace {

const std::vector<Key>& automodel_keys() {
  static const std::vector<Key> keys{
      {"distributed.strategy", Says::read},
      {"distributed._target_", Says::read},
      {"distributed.dp_size", Says::read},
      {"distributed.dp_replicate_size", Says::read},
      {"distributed.tp_size", Says::read},
      {"distributed.cp_size", Says::read},
      {"distributed.pp_size", Says::read},
      {"distributed.ep_size", Says::read},
      {"distributed.sequence_parallel", Says::read},
      {"distributed.tp_plan", Says::unmet, "a custom plan; tp is the usual plan"},
      {"distributed.activation_checkpointing", Says::read},
      {"distributed.activation_checkpointing_scope", Says::read},
      {"distributed.reshard_after_forward", Says::read},
      {"distributed.mp_policy.param_dtype", Says::read},
      {"distributed.mp_policy.reduce_dtype", Says::read},
      {"distributed.mp_policy.*"},
      {"distributed.autocast_dtype", Says::read},
      {"distributed.offload_policy*", Says::unmet, "no transform for parameters kept off the device"},
      {"distributed.cpu_offload", Says::unmet, "no transform for parameters kept off the device"},
      {"distributed.enable_async_tensor_parallel", Says::unmet, "no transform for tensor parallelism that overlaps"},
      {"distributed.enable_compile", Says::read},
      {"distributed.enable_fsdp2_prefetch"},
      {"distributed.fsdp2_*_prefetch_depth"},
      {"distributed.defer_fsdp_grad_sync"},
      {"distributed.patch_is_packed_sequence"},
      {"distributed.multimodal.*", Says::unmet, "no scope for towers of other modalities"},
      {"distributed.moe.reshard_after_forward", Says::unmet, "an option of the experts alone"},
      {"distributed.moe.*"},
      {"distributed.pipeline.pp_schedule", Says::read},
      {"distributed.pipeline.pp_microbatch_size", Says::read},
      {"distributed.pipeline.pp_schedule_csv", Says::unmet, "a schedule of one's own; pp has no word for it"},
      {"distributed.pipeline.*"},
      {"distributed.zero_dp_strategy", Says::read},
      {"distributed.overlap_*"},
      {"distributed.bucket_cap_mb"},
      {"distributed.find_unused_parameters"},
      {"distributed.static_graph"},
      {"distributed.broadcast_buffers"},
      {"distributed.backend"},
      {"compile.enabled", Says::read},
      {"compile.*"},
      {"fp8.enabled", Says::item, "quantize=fp8"},
      {"fp8.enable_fsdp_float8_all_gather", Says::unmet, "no transform for a gather in float8"},
      {"step_scheduler.local_batch_size", Says::read}};
  return keys;
}

// The older dialect keeps the pipeline in its own section.
void join_pipeline(SettingList& settings) {
  constexpr std::string_view kOld = "autopipeline.";
  for (Setting& setting : settings)
    if (setting.key.starts_with(kOld)) setting.key = "distributed.pipeline." + setting.key.substr(kOld.size());
}

// A degree in the file; nullopt for "none", which makes AutoModel compute it from the number of ranks.
std::optional<int> stated_size(Reading& reading, const std::string& name) {
  const Setting* setting = reading.find("distributed." + name);
  if (setting == nullptr || is_off(*setting)) return std::nullopt;
  const auto size = whole_of(*setting);
  if (size && *size >= 1 && *size <= kMostImportedRanks) return static_cast<int>(*size);
  reading.refuse(*setting, "expected a number of ranks, or none");
  return std::nullopt;
}

std::string strategy_of(Reading& reading) {
  if (reading.has("distributed.strategy")) return lower(reading.word("distributed.strategy"));
  const std::string target = reading.word("distributed._target_");
  const std::string name = target.substr(target.rfind('.') + 1);
  if (name == "FSDP2Manager" || name == "FSDP2Config") return "fsdp2";
  if (name == "DDPManager" || name == "DDPConfig") return "ddp";
  if (name == "MegatronFSDPManager" || name == "MegatronFSDPConfig") return "megatron_fsdp";
  return target.empty() ? "fsdp2" : target;
}

void add_automodel_pipeline(Reading& reading) {
  const std::string schedule = reading.word("distributed.pipeline.pp_schedule");
  std::string options = schedule_option(schedule);
  if (!schedule.empty() && options.empty())
    reading.refuse(*reading.find("distributed.pipeline.pp_schedule"), "pp has no word for this schedule");
  const auto batch = reading.whole("step_scheduler.local_batch_size");
  const long long each = reading.whole("distributed.pipeline.pp_microbatch_size").value_or(1);
  if (batch && each > 0 && *batch > 0 && *batch <= kMostImportedRanks && *batch % each == 0)
    options += fmt::format(":microbatches={}", *batch / each);
  reading.add_degree("pp", options);
}

void add_automodel_checkpointing(Reading& reading) {
  const Setting* asked = reading.find("distributed.activation_checkpointing");
  if (asked == nullptr || is_off(*asked)) return;
  if (asked->text == "selective")
    reading.add("sac", asked->where);
  else if (asked->text == "true" || asked->text == "full")
    reading.add("ac", asked->where);
  else
    reading.refuse(*asked, "expected true, false, full or selective");
  if (const Setting* scope = reading.find("distributed.activation_checkpointing_scope"); scope && scope->text != "all")
    reading.refuse(*scope, "no scope for these layers alone");
}

std::string parameter_dtype(Reading& reading) {
  if (const Setting* reduce = reading.find("distributed.mp_policy.reduce_dtype"); reduce && !reduce->text.ends_with("float32"))
    reading.refuse(*reduce, "mp reduces in float32; there is no option for another dtype");
  const Setting* dtype = reading.find("distributed.mp_policy.param_dtype");
  if (dtype == nullptr || dtype->text.ends_with("bfloat16") || dtype->text == "bf16") return ":mp=bf16";
  if (dtype->text.ends_with("float16") || dtype->text == "fp16") return ":mp=fp16";
  if (!dtype->text.ends_with("float32") && dtype->text != "fp32")
    reading.refuse(*dtype, "expected bfloat16, float16 or float32");
  return "";
}

// dp_size is the number of replicas times the number of shards.
void add_automodel_data(Reading& reading, const std::string& strategy) {
  const auto all = stated_size(reading, "dp_size"), replicate = stated_size(reading, "dp_replicate_size");
  const Origin where = reading.where(reading.has("distributed.dp_size")    ? "distributed.dp_size"
                                     : reading.has("distributed.strategy") ? "distributed.strategy"
                                                                           : "distributed._target_");
  if (strategy == "ddp") return reading.add_data_parallel(all.value_or(0), 1, false, where, {});
  std::string options;
  if (const auto reshard = reading.flag("distributed.reshard_after_forward"))
    options = *reshard ? ":reshard=always" : ":reshard=never";
  if (strategy == "megatron_fsdp") {
    const auto zero = reading.whole("distributed.zero_dp_strategy").value_or(3);
    reading.note("distributed.strategy: megatron_fsdp", where, "read as FSDP2; what only Megatron-FSDP has is not checked");
    if (zero < 2) {
      reading.note(fmt::format("distributed.zero_dp_strategy: {}", zero), where,
                   "it acts on gradients as ddp does; the rest has no transform");
      return reading.add_data_parallel(all.value_or(0), 1, false, where, {});
    }
    options = zero == 2 ? ":reshard=never" : ":reshard=always";
  } else {
    options += parameter_dtype(reading);
  }
  const int copies = replicate.value_or(1);
  const bool divides = all && *all % copies == 0;
  reading.add_data_parallel(copies, divides ? *all / copies : 0, true, where, {.sharded_options = options});
}

void add_automodel_compile(Reading& reading, const std::string& strategy) {
  if (reading.flag("distributed.enable_compile").value_or(false))
    reading.add("compile", reading.where("distributed.enable_compile"));
  if (!reading.flag("compile.enabled").value_or(false)) return;
  const Origin where = reading.where("compile.enabled");
  if (strategy == "fsdp2")
    reading.note("compile.enabled: true", where, "with FSDP2 distributed.enable_compile compiles, and this does nothing");
  else
    reading.add("compile@model", where);
}

}  // namespace

Imported automodel_stack(SettingList settings, const ReadBeside&) {
  join_pipeline(settings);
  Reading reading(std::move(settings), automodel_keys(), {"distributed.*"});
  const std::string strategy = strategy_of(reading);
  if (strategy != "fsdp2" && strategy != "ddp" && strategy != "megatron_fsdp")
    reading.refuse(*reading.find(reading.has("distributed.strategy") ? "distributed.strategy" : "distributed._target_"),
                   "expected fsdp2, megatron_fsdp or ddp; read as fsdp2");
  for (const char* axis : {"tp", "cp", "pp", "ep"})
    if (const auto size = stated_size(reading, fmt::format("{}_size", axis)))
      reading.set_degree(axis, *size, reading.where(fmt::format("distributed.{}_size", axis)));
  const bool experts = reading.degree("ep") > 1;
  add_automodel_pipeline(reading);
  reading.add_degree("tp", reading.flag("distributed.sequence_parallel").value_or(false) ? "" : ":sp=off");
  add_automodel_checkpointing(reading);
  add_automodel_data(reading, strategy);
  add_automodel_compile(reading, strategy);
  if (const Setting* dtype = reading.find("distributed.autocast_dtype"))
    reading.add(dtype->text.ends_with("bfloat16") || dtype->text == "bf16" ? "amp=bf16" : "amp=fp16", dtype->where);
  return reading.take("NeMo AutoModel", fixed_order(experts ? "automodel-moe" : "automodel"));
}

}  // namespace ordercheck
