#include "import/accelerate.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "import/deepspeed.h"
#include "import/formats.h"
#include "import/reading.h"

namespace ordercheck {
namespace {

struct Strategy {
  const char* name;
  const char* shard;    // "" if it does not shard
  const char* both;     // if it also replicates
  const char* reshard;  // an option
};

// Selected by name or by 1-based index, in the order of accelerate's utils/constants.py.
constexpr std::array<Strategy, 5> kStrategies{{{"FULL_SHARD", "fsdp", "", ":reshard=always"},
                                               {"SHARD_GRAD_OP", "fsdp", "", ":reshard=never"},
                                               {"NO_SHARD", "", "", ""},
                                               {"HYBRID_SHARD", "", "hsdp", ":reshard=always"},
                                               {"HYBRID_SHARD_ZERO2", "", "hsdp", ":reshard=never"}}};

const Strategy* find_strategy(const std::string& text) {
  std::string upper = text;
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  for (std::size_t at = 0; at < kStrategies.size(); ++at)
    if (upper == kStrategies[at].name || text == std::to_string(at + 1)) return &kStrategies[at];
  return nullptr;
}

std::string wrapping_scope(Reading& reading, const std::string& key) {
  const std::string policy = lower(reading.word(key));
  if (policy == "no_wrap") return "@model";
  if (!policy.empty() && policy != "transformer_based_wrap")
    reading.refuse(*reading.find(key), "no scope for modules chosen by their size");
  return "";
}

void add_version_1(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, int data, const Origin& where) {
  const std::string mp = cast.empty() ? "" : ":mp=" + cast;
  const std::string scope = wrapping_scope(reading, keys.wrap);
  const std::string& named = reading.has(keys.strategy) ? keys.strategy : keys.reshard;
  const Strategy* strategy = reading.has(named) ? find_strategy(reading.word(named)) : &kStrategies.front();
  if (strategy == nullptr) {
    reading.refuse(*reading.find(named), "expected FULL_SHARD, SHARD_GRAD_OP, NO_SHARD or HYBRID_SHARD");
    strategy = &kStrategies.front();
  }
  if (*strategy->both != '\0')
    reading.add(fmt::format("{}{}{}{}", strategy->both, strategy->reshard, mp, scope), where);
  else
    reading.add_data_parallel(*strategy->shard == '\0' ? data : 1, *strategy->shard == '\0' ? 1 : data,
                              *strategy->shard != '\0', where, {.sharded_options = strategy->reshard + mp, .scope = scope});
  // FSDP1's forward also runs under autocast.
  if (!cast.empty()) reading.add("amp=" + cast, reading.where("mixed_precision"));
  const std::string what = reading.has(keys.version) ? in_words(*reading.find(keys.version)) : keys.version + " is not stated";
  reading.note(what, reading.where(keys.version), "that is FSDP1, and fsdp is FSDP2; what only FSDP1 has is not checked");
}

void add_version_2(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, int data, const Origin& where) {
  std::string options;
  if (const auto reshard = reading.flag(keys.reshard)) options = *reshard ? ":reshard=always" : ":reshard=never";
  if (!cast.empty()) {
    options += ":mp=" + cast;
    reading.note("mixed precision " + cast, where,
                 fmt::format("accelerate reduces gradients in {} too; fsdp:mp reduces in float32", cast));
  }
  const DataParallel as{.sharded_options = options, .scope = wrapping_scope(reading, keys.wrap)};
  const bool stated = reading.states_degree("dp_shard") || reading.states_degree("dp_replicate");
  if (stated)
    reading.add_data_parallel(reading.degree("dp_replicate"), reading.degree("dp_shard"), true, where, as);
  else
    reading.add_data_parallel(1, data, true, where, as);
}

// The origin of the request for FSDP: the first FSDP key that the file sets.
Origin asked_at(const Reading& reading, const AccelerateFsdp& keys) {
  for (const std::string& key : {keys.version, keys.strategy, keys.reshard, keys.wrap, keys.checkpointing,
                                 std::string("distributed_type"), std::string("fsdp")})
    if (reading.has(key)) return reading.where(key);
  return reading.where(keys.version);
}

}  // namespace

std::string add_accelerate_fsdp(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, long long others) {
  const long long version = reading.whole(keys.version).value_or(1);
  const Origin where = reading.states_degree("dp_shard") ? reading.degree_origin("dp_shard") : asked_at(reading, keys);
  const bool known = reading.ranks && others > 0 && *reading.ranks % others == 0;
  const int data = known ? static_cast<int>(*reading.ranks / others) : 0;
  if (version != 1 && version != 2) reading.refuse(*reading.find(keys.version), "expected version 1 or 2");
  if (version == 2)
    add_version_2(reading, keys, cast, data, where);
  else
    add_version_1(reading, keys, cast, data, where);
  if (keys.checkpoints) reading.add("ac:preserve_rng_state=off", reading.where(keys.checkpointing));
  return version == 2 ? "accelerate" : "accelerate-wrappers";
}

void add_accelerate_compile(Reading& reading, const Setting& backend, bool of_fsdp2, bool regional, bool fullgraph) {
  const std::string name = lower(backend.text);
  if (name.empty() || name == "no" || name == "false") return;
  const bool known = name == "inductor" || name == "aot_eager";
  if (!known && name != "true") reading.refuse(backend, "a backend that compile has no word for");
  // With FSDP2, blocks are compiled in place; anything else is wrapped.
  const char* wraps = of_fsdp2 && regional ? "" : ":wrap";
  reading.add(
      fmt::format("compile{}{}{}{}", known ? "=" + name : "", wraps, fullgraph ? ":fullgraph" : "", regional ? "" : "@model"),
      backend.where);
}

// accelerate's YAML: 16cb6eb8 (2026-07-24), commands/config/config_args.py, commands/launch.py, utils/dataclasses.py,
// parallelism_config.py. Tensor parallelism uses transformers' plans, without sequence parallelism.
namespace {

const std::vector<Key>& accelerate_keys() {
  static const std::vector<Key> keys{
      {"distributed_type", Says::read},
      {"mixed_precision", Says::read},
      {"num_processes", Says::ranks},
      {"parallelism_config.parallelism_config_dp_replicate_size", Says::degree, "dp_replicate"},
      {"parallelism_config.parallelism_config_dp_shard_size", Says::degree, "dp_shard"},
      {"parallelism_config.parallelism_config_tp_size", Says::degree, "tp"},
      {"parallelism_config.parallelism_config_cp_size", Says::degree, "cp"},
      {"parallelism_config.parallelism_config_cp_comm_strategy", Says::read},
      {"parallelism_config.parallelism_config_cp_backend", Says::nothing},
      {"parallelism_config.parallelism_config_sp_size", Says::alone, "cp has no exchange like Ulysses' all-to-all"},
      {"parallelism_config.parallelism_config_sp_*", Says::nothing},
      {"fsdp_config.fsdp_version", Says::read},
      {"fsdp_config.fsdp_sharding_strategy", Says::read},
      {"fsdp_config.fsdp_reshard_after_forward", Says::read},
      {"fsdp_config.fsdp_auto_wrap_policy", Says::read},
      {"fsdp_config.fsdp_activation_checkpointing", Says::read},
      {"fsdp_config.fsdp_offload_params", Says::unmet, "no transform for parameters kept off the device"},
      {"fsdp_config.fsdp_ignored_modules", Says::unmet, "no scope for a model without some of its modules"},
      {"fsdp_config.fsdp_min_num_params"},
      {"fsdp_config.fsdp_transformer_layer_cls_to_wrap"},
      {"fsdp_config.fsdp_backward_prefetch*"},
      {"fsdp_config.fsdp_forward_prefetch"},
      {"fsdp_config.fsdp_state_dict_type"},
      {"fsdp_config.fsdp_use_orig_params"},
      {"fsdp_config.fsdp_cpu_ram_efficient_loading"},
      {"fsdp_config.fsdp_cpu_offload_pin_memory"},
      {"fsdp_config.fsdp_sync_module_states"},
      {"dynamo_config.dynamo_backend", Says::read},
      {"dynamo_config.dynamo_use_fullgraph", Says::read},
      {"dynamo_config.dynamo_use_regional_compilation", Says::read},
      {"dynamo_config.dynamo_mode"},
      {"dynamo_config.dynamo_use_dynamic"},
      {"fp8_config.fp8_backend", Says::read},
      {"fp8_config.fp8_enable_fsdp_float8_all_gather", Says::unmet, "no transform for a gather in float8"},
      {"fp8_config.*"},
      {"deepspeed_config.zero_stage", Says::read},
      {"deepspeed_config.deepspeed_config_file", Says::read},
      {"deepspeed_config.gradient_accumulation_steps", Says::read},
      {"deepspeed_config.offload_*_device", Says::unmet, "no transform for parameters or optimizer state off the device"},
      {"deepspeed_config.offload_*_nvme_path"},
      {"deepspeed_config.gradient_clipping"},
      {"deepspeed_config.zero3_*"},
      {"deepspeed_config.deepspeed_m*"},
      {"deepspeed_config.deepspeed_hostfile"},
      {"deepspeed_config.deepspeed_*_filter"},
      {"megatron_lm_config.*", Says::unmet, "import the arguments of Megatron-LM itself"}};
  return keys;
}

// accelerate's launcher adds a missing prefix to the keys of these sections.
void add_prefixes(SettingList& settings) {
  for (const std::string prefix : {"fsdp", "dynamo", "fp8"}) {
    const std::string section = prefix + "_config.";
    for (Setting& setting : settings)
      if (setting.key.starts_with(section) && !setting.key.substr(section.size()).starts_with(prefix))
        setting.key = section + prefix + "_" + setting.key.substr(section.size());
  }
}

void add_dynamo(Reading& reading, bool of_fsdp2) {
  const std::string backend = reading.word("dynamo_config.dynamo_backend");
  if (backend.empty()) return;
  const bool regional = reading.flag("dynamo_config.dynamo_use_regional_compilation").value_or(false);
  const bool fullgraph = reading.flag("dynamo_config.dynamo_use_fullgraph").value_or(false);
  add_accelerate_compile(reading, *reading.find("dynamo_config.dynamo_backend"), of_fsdp2, regional, fullgraph);
}

void add_accelerate_fp8(Reading& reading) {
  const std::string backend = lower(reading.word("fp8_config.fp8_backend"));
  if (backend == "ao" || backend == "torchao" || backend == "te")
    reading.add("quantize=fp8", reading.where("mixed_precision"));
  else
    reading.refuse(*reading.find("mixed_precision"), "fp8 by a backend that is not in fp8_config, or that no transform for");
}

std::string accelerate_cast(Reading& reading) {
  const std::string dtype = lower(reading.word("mixed_precision"));
  if (dtype == "fp8") add_accelerate_fp8(reading);
  if (dtype == "bf16" || dtype == "fp16") return dtype;
  if (!dtype.empty() && dtype != "no" && dtype != "false" && dtype != "fp8")
    reading.refuse(*reading.find("mixed_precision"), "expected no, fp16, bf16 or fp8");
  return "";
}

void add_accelerate_cp(Reading& reading) {
  const std::string exchange = lower(reading.word("parallelism_config.parallelism_config_cp_comm_strategy"));
  if (!exchange.empty() && exchange != "allgather" && exchange != "alltoall")
    reading.refuse(*reading.find("parallelism_config.parallelism_config_cp_comm_strategy"), "expected allgather or alltoall");
  // alltoall rotates shards around the ranks one step at a time.
  reading.add_degree("cp", exchange == "allgather" ? ":all_gather" : exchange == "alltoall" ? ":ring" : "");
}

AccelerateFsdp fsdp_of(Reading& reading) {
  const auto key = [](const char* name) { return fmt::format("fsdp_config.fsdp_{}", name); };
  return {.version = key("version"),
          .strategy = key("sharding_strategy"),
          .reshard = key("reshard_after_forward"),
          .wrap = key("auto_wrap_policy"),
          .checkpoints = reading.flag(key("activation_checkpointing")).value_or(false),
          .checkpointing = key("activation_checkpointing")};
}

Imported with_deepspeed(SettingList settings, const ReadBeside& read) {
  std::vector<NotUnderstood> missing;
  // Use DeepSpeed's own keys, so that deepspeed_keys() covers both.
  for (Setting& setting : settings) {
    if (setting.key == "deepspeed_config.zero_stage") setting.key = "zero_optimization.stage";
    if (setting.key == "deepspeed_config.gradient_accumulation_steps") setting.key = "gradient_accumulation_steps";
  }
  for (std::size_t at = 0; at < settings.size(); ++at)
    if (settings[at].key == "deepspeed_config.deepspeed_config_file")
      if (auto more = deepspeed_file(Setting(settings[at]), read, missing)) {
        settings.insert(settings.end(), more->begin(), more->end());
        break;
      }
  std::vector<Key> keys = accelerate_keys();
  keys.insert(keys.end(), deepspeed_keys().begin(), deepspeed_keys().end());
  std::vector<std::string_view> sections = deepspeed_sections();
  sections.push_back("deepspeed_config.*");
  Reading reading(std::move(settings), keys, sections);
  for (const NotUnderstood& one : missing) reading.note(one.text, one.where, one.why);
  add_deepspeed(reading, accelerate_cast(reading));
  add_dynamo(reading, false);
  return reading.take("accelerate", fixed_order("deepspeed"), "deepspeed");
}

}  // namespace

Imported accelerate_stack(SettingList settings, const ReadBeside& read) {
  add_prefixes(settings);
  std::string type;
  for (const Setting& setting : settings)
    if (setting.key == "distributed_type") type = setting.text;
  if (type == "DEEPSPEED") return with_deepspeed(std::move(settings), read);
  Reading reading(std::move(settings), accelerate_keys(),
                  {"fsdp_config.*", "parallelism_config.*", "dynamo_config.*", "deepspeed_config.*"});
  const std::string cast = accelerate_cast(reading);
  const int tp = reading.degree("tp"), cp = reading.degree("cp");
  reading.add_degree("tp", ":sp=off");
  add_accelerate_cp(reading);
  if (type == "FSDP") {
    const std::string order = add_accelerate_fsdp(reading, fsdp_of(reading), cast, tp * static_cast<long long>(cp));
    add_dynamo(reading, order == "accelerate");
    return reading.take("accelerate", fixed_order(order));
  }
  if (type.starts_with("MULTI_")) {
    reading.add_data_parallel(reading.ranks.value_or(0), 1, false, reading.where("distributed_type"), {});
  } else if (!type.empty() && lower(type) != "no" && type != "false") {
    // find() returns null for a variable, which was already reported.
    if (const Setting* stated = reading.find("distributed_type"))
      reading.refuse(*stated, "expected NO, MULTI_GPU, FSDP or DEEPSPEED");
  }
  if (!cast.empty()) reading.add("amp=" + cast, reading.where("mixed_precision"));
  add_dynamo(reading, false);
  return reading.take("accelerate", fixed_order("accelerate-wrappers"));
}

}  // namespace ordercheck
