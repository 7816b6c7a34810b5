// Reads verl's Hydra YAML: b178a3cd5 (2026-01-29), trainer/config/_generated_ppo_trainer.yaml and workers/fsdp_workers.py.
// Imports only the actor; a run also trains a critic with its own settings. Unset keys have the defaults of ppo_trainer.yaml.
#include <fmt/format.h>

#include "base/text.h"
#include "import/formats.h"
#include "import/megatron.h"
#include "import/reading.h"

namespace ordercheck {
namespace {

constexpr std::string_view kActor = "actor_rollout_ref.actor.";

const std::vector<Key>& verl_keys() {
  static const std::vector<Key> keys{
      {"actor.strategy", Says::read},
      {"actor.fsdp_config.fsdp_size", Says::read},
      {"actor.fsdp_config.reshard_after_forward", Says::read},
      {"actor.fsdp_config.dtype", Says::read},
      {"actor.fsdp_config.model_dtype", Says::read},
      {"actor.fsdp_config.param_offload", Says::unmet, kOffDevice},
      {"actor.fsdp_config.optimizer_offload", Says::unmet, kOffDevice},
      {"actor.fsdp_config.offload_policy", Says::unmet, kOffDevice},
      {"actor.fsdp_config.mixed_precision*", Says::unmet, "a policy beside dtype"},
      {"actor.fsdp_config.wrap_policy.min_num_params", Says::unmet, "no scope for modules chosen by their size"},
      {"actor.fsdp_config.wrap_policy*"},
      {"actor.fsdp_config._target_"},
      {"actor.fsdp_config.strategy"},
      {"actor.fsdp_config.forward_prefetch"},
      {"actor.fsdp_config.use_orig_params"},
      {"actor.fsdp_config.seed"},
      {"actor.fsdp_config.full_determinism"},
      {"actor.fsdp_config.forward_only"},
      {"actor.fsdp_config.entropy_*"},
      {"actor.fsdp_config.use_torch_compile"},  // only for the entropy
      {"actor.fsdp_config.ulysses_sequence_parallel_size", Says::alone, "cp has no exchange like Ulysses' all-to-all"},
      {"actor.ulysses_sequence_parallel_size", Says::alone, "cp has no exchange like Ulysses' all-to-all"},
      {"model.enable_gradient_checkpointing", Says::item, "ac"},
      {"model.enable_activation_offload", Says::unmet, kOffDevice},
      {"trainer.n_gpus_per_node", Says::read},
      {"trainer.nnodes", Says::read}};
  return keys;
}

// Strips the enclosing section from the keys of the actor and its model.
SettingList of_actor(SettingList settings) {
  constexpr std::string_view kSection = "actor_rollout_ref.";
  for (Setting& setting : settings)
    if (setting.key.starts_with(kActor) || setting.key.starts_with("actor_rollout_ref.model."))
      setting.key = setting.key.substr(kSection.size());
  return settings;
}

// verl's Megatron engine takes the arguments of Megatron-LM by their Python names.
ShellSettings megatron_options(const SettingList& settings) {
  constexpr std::string_view kEngine = "actor.megatron.", kOverride = "actor.megatron.override_transformer_config.";
  ShellSettings read;
  bool sequence = true;
  for (const Setting& setting : settings) {
    Setting option = setting;
    if (setting.key == "trainer.n_gpus_per_node")
      option.key = "--nproc_per_node";
    else if (setting.key == "trainer.nnodes")
      option.key = "--nnodes";
    else if (setting.key.starts_with(kEngine))
      option.key = "--" + setting.key.substr(setting.key.starts_with(kOverride) ? kOverride.size() : kEngine.size());
    else
      continue;
    for (char& letter : option.key)
      if (letter == '_' && option.key != "--nproc_per_node") letter = '-';
    if (option.key == "--sequence-parallel") sequence = false;
    if (option.text != "false" && option.form != SettingForm::nothing) read.certain.push_back(std::move(option));
  }
  // verl enables sequence parallelism by default.
  if (sequence && !settings.empty())
    read.certain.push_back({.key = "--sequence-parallel",
                            .form = SettingForm::flag,
                            .text = "true",
                            .elements = {},
                            .where = {settings.front().where.file, 0}});
  return read;
}

void add_verl_fsdp(Reading& reading, const std::string& strategy) {
  const auto each = reading.whole("trainer.n_gpus_per_node"), nodes = reading.whole("trainer.nnodes");
  if (each && *each >= 1 && *each <= 100'000 && nodes.value_or(1) >= 1 && nodes.value_or(1) <= 10'000)
    reading.ranks = static_cast<int>(*each * nodes.value_or(1));
  const Setting* size = reading.find("actor.fsdp_config.fsdp_size");
  long long shard = size == nullptr ? -1 : reading.whole(size->key).value_or(-1);
  if (shard == 0 || shard > kMostImportedRanks) {
    reading.refuse(*size, "expected -1 or a number of ranks");
    shard = -1;
  }
  std::string options;
  if (const auto reshard = reading.flag("actor.fsdp_config.reshard_after_forward"))
    options = *reshard ? ":reshard=always" : ":reshard=never";
  const std::string dtype = reading.word("actor.fsdp_config.dtype");
  if (dtype.empty() || dtype == "bfloat16")
    options += ":mp=bf16";
  else if (dtype == "float16")
    options += ":mp=fp16";
  else
    reading.refuse(*reading.find("actor.fsdp_config.dtype"), "expected bfloat16 or float16");
  const Origin where = reading.where(size ? "actor.fsdp_config.fsdp_size" : "actor.strategy");
  const DataParallel as{.sharded_options = options};
  if (shard < 0 || (reading.ranks && shard >= *reading.ranks))
    reading.add_data_parallel(1, reading.ranks.value_or(0), true, where, as);
  else if (reading.ranks && *reading.ranks % shard == 0)
    reading.add_data_parallel(static_cast<int>(*reading.ranks / shard), static_cast<int>(shard), true, where, as);
  else
    reading.add("hsdp" + options, where);
  if (strategy != "fsdp2")
    reading.note(strategy.empty() ? "actor.strategy is not stated" : "actor.strategy: fsdp", reading.where("actor.strategy"),
                 "that is FSDP1, and fsdp is FSDP2; what only FSDP1 has is not checked");
}

}  // namespace

Imported verl_stack(SettingList settings, const ReadBeside&) {
  settings = of_actor(std::move(settings));
  std::string strategy;
  for (const Setting& setting : settings)
    if (setting.key == "actor.strategy") strategy = setting.text;
  Imported imported;
  if (strategy == "megatron") {
    imported = megatron_stack(megatron_options(settings));
  } else {
    Reading reading(std::move(settings), verl_keys(), {"actor.fsdp_config.*"});
    if (strategy.empty() || strategy == "fsdp" || strategy == "fsdp2")
      add_verl_fsdp(reading, strategy);
    else if (const Setting* stated = reading.find("actor.strategy"))  // a variable was already reported
      reading.refuse(*stated, "expected fsdp, fsdp2 or megatron");
    imported = reading.take("verl", fixed_order("verl"));
  }
  imported.format = "verl";
  imported.part = "the actor";
  return imported;
}

}  // namespace ordercheck
