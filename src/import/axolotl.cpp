// Reads axolotl's YAML: 067b021c8 (2026-07-24), utils/schemas/config.py and fsdp.py, utils/config/__init__.py,
// utils/distributed.py, utils/trainer.py, loaders/model.py. axolotl delegates FSDP and torch.compile to accelerate, and tensor
// parallelism to transformers.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "import/accelerate.h"
#include "import/deepspeed.h"
#include "import/formats.h"
#include "import/reading.h"

namespace ordercheck {
namespace {

const std::vector<Key>& axolotl_keys() {
  static const std::vector<Key> keys{
      {"tensor_parallel_size", Says::degree, "tp"},
      {"context_parallel_size", Says::degree, "cp"},
      {"sequence_parallel_degree", Says::degree, "cp"},
      {"expert_parallel_size", Says::degree, "ep"},
      {"dp_shard_size", Says::degree, "dp_shard"},
      {"dp_replicate_size", Says::degree, "dp_replicate"},
      {"ring_attn_func", Says::read},
      {"heads_k_stride"},
      {"fsdp", Says::read},
      {"fsdp_version", Says::read},
      {"fsdp_config.fsdp_version", Says::read},
      {"fsdp_config.reshard_after_forward", Says::read},
      {"fsdp_config.sharding_strategy", Says::read},
      {"fsdp_config.auto_wrap_policy", Says::read},
      {"fsdp_config.activation_checkpointing", Says::read},
      {"fsdp_config.offload_params", Says::unmet, "no transform for parameters kept off the device"},
      {"fsdp_config.mixed_precision_policy", Says::unmet, "a policy other than bf16 and fp16"},
      {"fsdp_config.cpu_offload_pin_memory"},
      {"fsdp_config.limit_all_gathers"},
      {"fsdp_config.sync_module_states"},
      {"fsdp_config.cpu_ram_efficient_loading"},
      {"fsdp_config.use_orig_params"},
      {"fsdp_config.state_dict_type"},
      {"fsdp_config.final_state_dict_type"},
      {"fsdp_config.transformer_layer_cls_to_wrap"},
      {"fsdp_config.min_num_params"},
      {"fsdp_config.backward_prefetch*"},
      {"fsdp_config.forward_prefetch"},
      {"deepspeed", Says::read},
      {"deepcompile", Says::unmet, "DeepCompile puts ZeRO into the graph; no transform for it"},
      {"bf16", Says::read},
      {"bfloat16", Says::unmet, "the model itself is of that dtype; no transform for it"},
      {"fp16", Says::read},
      {"float16", Says::unmet, "the model itself is of that dtype; no transform for it"},
      {"fp8", Says::item, "quantize=fp8"},
      {"fp8_enable_fsdp_float8_all_gather", Says::unmet, "no transform for a gather in float8"},
      {"fp32_norms", Says::unmet, "norms sharded with a policy of their own"},
      {"load_in_8bit", Says::unmet, "frozen weights in 8 bits; no transform for them"},
      {"load_in_4bit", Says::unmet, "frozen weights in 4 bits; no transform for them"},
      {"gradient_checkpointing", Says::read},
      {"gradient_checkpointing_kwargs.use_reentrant", Says::read},
      {"activation_offloading", Says::unmet, "no transform for activations kept off the device"},
      {"selective_checkpointing*", Says::read},
      {"torch_compile", Says::read},
      {"torch_compile_backend", Says::read},
      {"torch_compile_*"},
      {"sequence_len", Says::size, "sequence_length"},
      {"gradient_accumulation_steps", Says::read}};
  return keys;
}

// Converts deprecated spellings of keys.
void drop_prefixes(SettingList& settings) {
  constexpr std::string_view kSection = "fsdp_config.", kOld = "fsdp_config.fsdp_";
  for (Setting& setting : settings) {
    if (setting.key == "fsdp_config.version" || setting.key == "fsdp_version") setting.key = "fsdp_config.fsdp_version";
    if (setting.key != "fsdp_config.fsdp_version" && setting.key.starts_with(kOld))
      setting.key = std::string(kSection) + setting.key.substr(kOld.size());
  }
}

std::string axolotl_cast(Reading& reading) {
  for (const char* dtype : {"bf16", "fp16"}) {
    const Setting* setting = reading.find(dtype);
    if (setting == nullptr || is_off(*setting)) continue;
    if (setting->text == "true" || setting->text == "full") return dtype;
    reading.refuse(*setting, setting->text == "auto" ? "whether it casts is up to the GPU; write true or false"
                                                     : "expected true, false, full or auto");
  }
  return "";
}

void add_axolotl_cp(Reading& reading) {
  std::string attention = reading.word("ring_attn_func");
  const Setting* packing = reading.find("sample_packing");
  if (attention.empty()) attention = packing != nullptr && packing->text == "true" ? "varlen_llama3" : "batch_ring";
  std::string options;
  if (attention == "varlen_llama3")
    options = ":all_gather";
  else if (attention == "batch_ring")
    options = ":ring";
  else if (attention == "batch_zigzag")
    options = ":ring:balance=head_tail";
  else
    reading.refuse(*reading.find("ring_attn_func"), "cp has no word for how this splits the sequence");
  reading.add_degree("cp", options);
}

void add_axolotl_checkpointing(Reading& reading) {
  const Setting* asked = reading.find("gradient_checkpointing");
  if (asked == nullptr || is_off(*asked)) return;
  if (asked->text != "true") reading.refuse(*asked, "no transform for checkpoints kept off the device; read as true");
  const Setting* selective = reading.find("selective_checkpointing");
  if (const Setting* saved = reading.find("selective_checkpointing.save"); saved != nullptr) {
    reading.refuse(*saved, "which operators are saved, a policy of sac names otherwise");
    selective = saved;
  }
  if (selective != nullptr && !is_off(*selective)) {
    reading.add("sac", selective->where);
    return;
  }
  // The default is reentrant, unless unfrozen_parameters or rl decides it.
  const bool open = !reading.has("unfrozen_parameters") && !reading.has("rl");
  const bool reentrant = reading.flag("gradient_checkpointing_kwargs.use_reentrant").value_or(open);
  reading.add(reentrant ? "ac:reentrant" : "ac", asked->where);
}

void add_axolotl_compile(Reading& reading, bool of_fsdp2) {
  const Setting* asked = reading.find("torch_compile");
  if (asked == nullptr || is_off(*asked)) return;
  if (asked->text != "true") {
    reading.refuse(*asked, "whether it compiles is up to the version of torch; write true or false");
    return;
  }
  const Setting* backend = reading.find("torch_compile_backend");
  add_accelerate_compile(reading, backend == nullptr ? *asked : *backend, of_fsdp2, false, false);
}

bool asks_for_fsdp(const Reading& reading, const SettingList& settings) {
  const Setting* list = reading.find("fsdp");
  if (list != nullptr && !is_off(*list)) return true;
  for (const Setting& setting : settings)
    if (setting.key.starts_with("fsdp_config.") && setting.key != "fsdp_config.fsdp_version") return true;
  return false;
}

// Converts the strategy in the deprecated list to a setting of its own.
void settle_fsdp_list(SettingList& settings, std::vector<NotUnderstood>& not_understood) {
  const auto list = std::ranges::find(settings, "fsdp", &Setting::key);
  if (list == settings.end()) return;
  const Setting written = *list;
  for (const std::string& word : written.form == SettingForm::list ? written.elements : split(written.text, ' ')) {
    if (word == "auto_wrap" || word.empty()) continue;
    if (word == "full_shard" || word == "shard_grad_op" || word == "hybrid_shard" || word == "no_shard")
      settings.push_back({.key = "fsdp_config.sharding_strategy",
                          .form = SettingForm::word,
                          .text = word,
                          .elements = {},
                          .where = written.where});
    else
      not_understood.push_back({.text = "fsdp: " + word, .where = written.where, .why = "no transform for it"});
  }
}

Imported axolotl_with_fsdp(Reading& reading, const std::string& cast) {
  const long long others = static_cast<long long>(reading.degree("tp")) * reading.degree("cp") * reading.degree("ep");
  reading.add_degree("tp", ":sp=off");
  add_axolotl_cp(reading);
  add_axolotl_checkpointing(reading);
  const std::string order =
      add_accelerate_fsdp(reading,
                          {.version = "fsdp_config.fsdp_version",
                           .strategy = "fsdp_config.sharding_strategy",
                           .reshard = "fsdp_config.reshard_after_forward",
                           .wrap = "fsdp_config.auto_wrap_policy",
                           .checkpoints = reading.flag("fsdp_config.activation_checkpointing").value_or(false),
                           .checkpointing = "fsdp_config.activation_checkpointing"},
                          cast, others);
  add_axolotl_compile(reading, order == "accelerate");
  return reading.take("axolotl", fixed_order(order == "accelerate" ? "axolotl" : "axolotl-wrappers"));
}

}  // namespace

Imported axolotl_stack(SettingList settings, const ReadBeside& read) {
  drop_prefixes(settings);
  std::vector<NotUnderstood> missing;
  std::vector<Key> keys = axolotl_keys();
  std::vector<std::string_view> sections{"fsdp_config.*"};
  bool deepspeed = false;
  // Iterate over a copy: the loop appends to `settings`.
  for (const Setting& setting : SettingList(settings)) {
    if (!setting.key.starts_with("deepspeed") || is_off(setting)) continue;
    deepspeed = true;
    if (setting.key != "deepspeed") continue;
    if (const auto more = deepspeed_file(setting, read, missing)) settings.insert(settings.end(), more->begin(), more->end());
  }
  if (deepspeed) {
    for (Setting& setting : settings)
      if (setting.key.starts_with("deepspeed.")) setting.key = setting.key.substr(std::string_view("deepspeed.").size());
    keys.insert(keys.end(), deepspeed_keys().begin(), deepspeed_keys().end());
    sections.insert(sections.end(), deepspeed_sections().begin(), deepspeed_sections().end());
  }
  settle_fsdp_list(settings, missing);
  const SettingList whole = settings;
  Reading reading(std::move(settings), keys, sections);
  for (const NotUnderstood& one : missing) reading.note(one.text, one.where, one.why);
  const std::string cast = axolotl_cast(reading);
  if (deepspeed) {
    reading.add_degree("tp", ":sp=off");
    add_axolotl_cp(reading);
    add_axolotl_checkpointing(reading);
    add_deepspeed(reading, cast);
    add_axolotl_compile(reading, false);
    return reading.take("axolotl", fixed_order("deepspeed"), "deepspeed");
  }
  if (const Setting* steps = reading.find("gradient_accumulation_steps")) reading.set_size("accumulation", *steps);
  if (asks_for_fsdp(reading, whole)) return axolotl_with_fsdp(reading, cast);
  reading.add_degree("tp", ":sp=off");
  add_axolotl_cp(reading);
  add_axolotl_checkpointing(reading);
  if (!cast.empty()) reading.add("amp=" + cast, reading.where(cast));
  add_axolotl_compile(reading, false);
  reading.note(
      "data parallelism", reading.where(""),
      "neither fsdp_config nor deepspeed is there; on several ranks axolotl replicates with DDP, write ddp=N for that");
  return reading.take("axolotl", fixed_order("axolotl-wrappers"));
}

}  // namespace ordercheck
