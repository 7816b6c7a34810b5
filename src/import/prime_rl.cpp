// Reads prime-rl's TOML: 559b44772 (2026-08-21), prime_rl/configs/trainer.py. rl.toml has the trainer's model in
// [trainer.model], sft.toml in [model]. Unset keys have the defaults of that file: blocks are checkpointed and compiled.
#include <fmt/format.h>

#include "base/text.h"
#include "import/formats.h"
#include "import/reading.h"

namespace ordercheck {
namespace {

const std::vector<Key>& prime_rl_keys() {
  static const std::vector<Key> keys{{"model.dp_replicate", Says::degree, "dp_replicate"},
                                     {"model.cp", Says::degree, "cp"},
                                     {"model.cp_style", Says::read},
                                     {"model.ep", Says::read},
                                     {"model.ep_comm_backend", Says::read},
                                     {"model.tp", Says::alone, "setup_model applies no tensor parallelism"},
                                     {"model.ac", Says::read},
                                     {"model.ac.mode", Says::read},
                                     {"model.ac.freq", Says::read},
                                     {"model.ac.targets", Says::read},
                                     {"model.ac_offloading", Says::read},
                                     {"model.compile", Says::read},
                                     {"model.compile.fullgraph", Says::read},
                                     {"model.fsdp_cpu_offload", Says::unmet, "no transform for parameters kept off the device"},
                                     {"model.full_offload", Says::unmet, "no transform for an optimizer kept off the device"},
                                     {"model.reshard_after_forward", Says::read},
                                     {"model.reduce_dtype", Says::read},
                                     {"model.quantization.type", Says::read},
                                     {"model.seq_len", Says::size, "sequence_length"},
                                     {"seq_len", Says::size, "sequence_length"},
                                     {"deployment.num_train_gpus", Says::ranks}};
  return keys;
}

// "None" disables a part. An empty table means the defaults, like an absent one.
bool is_none(const Setting* setting) { return setting != nullptr && setting->form != SettingForm::table && is_off(*setting); }

void add_prime_rl_checkpointing(Reading& reading) {
  const Setting* mode = reading.find("model.ac.mode");
  const bool offloads = !is_none(reading.find("model.ac_offloading"));
  if (is_none(reading.find("model.ac")) && !offloads) return;
  const bool is_empty = reading.find("model.ac") != nullptr;
  const Origin where = reading.where(mode ? "model.ac.mode" : is_empty ? "model.ac" : "model.ac.freq");
  if (offloads)
    reading.note("model.ac_offloading", reading.where("model.ac_offloading"),
                 "checkpoints are kept off the device unless it is \"None\"; no transform for that");
  if (mode && mode->text == "selective")
    return reading.refuse(*mode,
                          "parts of a block that targets name are checkpointed; ac is of whole blocks, sac of operators");
  if (mode && mode->text != "full") return reading.refuse(*mode, "expected full or selective");
  const auto every = reading.whole("model.ac.freq").value_or(1);
  const bool counts = every > 1 && every <= kMostImportedRanks;
  reading.add(fmt::format("ac{}:preserve_rng_state=off", counts ? fmt::format("=selective:n={}", every) : ""), where);
}

void add_prime_rl_cp(Reading& reading) {
  const Setting* style = reading.find("model.cp_style");
  if (style && style->text != "ring" && reading.degree("cp") > 1) {
    reading.refuse(*style, "cp has no exchange like Ulysses' all-to-all");
    return reading.set_degree("cp", 1, style->where);
  }
  reading.add_degree("cp", ":ring");
}

void add_prime_rl_ep(Reading& reading) {
  const Setting* ep = reading.find("model.ep");
  if (ep == nullptr) return;
  if (ep->text == "auto") return reading.refuse(*ep, "how many ranks hold the experts is up to the model and the machine");
  const auto degree = whole_of(*ep);
  if (!degree || *degree < 1 || *degree > kMostImportedRanks)
    return reading.refuse(*ep, "expected a number of ranks, 1 or more");
  if (*degree > 1) reading.add(fmt::format("ep={}", *degree), ep->where);
  if (const Setting* backend = reading.find("model.ep_comm_backend"); backend && backend->text != "torch")
    reading.refuse(*backend, "ep has no option for another token dispatch");
}

}  // namespace

Imported prime_rl_stack(SettingList settings, const ReadBeside&) {
  constexpr std::string_view kTrainer = "trainer.";
  for (Setting& setting : settings)
    if (setting.key.starts_with("trainer.model.")) setting.key = setting.key.substr(kTrainer.size());
  Reading reading(std::move(settings), prime_rl_keys(),
                  {"model.*parallel*", "model.dp_*", "model.fsdp*", "model.ac.*", "model.compile.*"});
  const long long others = static_cast<long long>(reading.degree("dp_replicate")) * reading.degree("cp");
  const int shard = reading.ranks && *reading.ranks % others == 0 ? static_cast<int>(*reading.ranks / others) : 0;
  std::string options = ":reshard=always:mp=bf16";
  if (const auto reshard = reading.flag("model.reshard_after_forward"); reshard && !*reshard)
    options = ":reshard=never:mp=bf16";
  if (const Setting* reduce = reading.find("model.reduce_dtype"); reduce && reduce->text != "float32")
    reading.refuse(*reduce, "mp reduces in float32; there is no option for another dtype");
  const Origin where = reading.where(reading.ranks ? "deployment.num_train_gpus" : "model.reshard_after_forward");
  reading.add_data_parallel(reading.degree("dp_replicate"), shard, true, where, {.sharded_options = options});
  add_prime_rl_ep(reading);
  add_prime_rl_cp(reading);
  add_prime_rl_checkpointing(reading);
  if (!is_none(reading.find("model.compile")))
    reading.add(reading.flag("model.compile.fullgraph").value_or(false) ? "compile:fullgraph" : "compile",
                reading.where(reading.find("model.compile") ? "model.compile" : "model.compile.fullgraph"));
  if (const Setting* type = reading.find("model.quantization.type")) {
    if (type->text == "fp8" || type->text == "mxfp8")
      reading.add("quantize=" + type->text, type->where);
    else
      reading.refuse(*type, "expected fp8 or mxfp8");
  }
  return reading.take("prime-rl", fixed_order("prime-rl"));
}

}  // namespace ordercheck
