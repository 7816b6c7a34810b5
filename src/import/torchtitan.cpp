// Reads torchtitan's TOML: v0.2.2 (73a0e6979, 2026-02-20), config/job_config.py, which also gives the defaults. The model
// selects the order: each model has its own parallelize.py.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "import/formats.h"
#include "import/reading.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

struct OrderOfModel {
  std::string_view model, order;
};
constexpr std::array<OrderOfModel, 13> kOrders{{{"llama3", "torchtitan-llama3"},
                                                {"llama4", "torchtitan-moe"},
                                                {"deepseek_v3", "torchtitan-moe"},
                                                {"qwen3", "torchtitan-moe"},
                                                {"gpt_oss", "torchtitan-gpt-oss"},
                                                {"flux", "torchtitan-flux"},
                                                {"vlm", "torchtitan-vlm"},
                                                {"transformers_modeling_backend", "torchtitan-transformers"},
                                                {"simple_fsdp.llama3", "torchtitan-simple-fsdp-llama3"},
                                                {"compiler_toolkit.llama3", "torchtitan-simple-fsdp-llama3"},
                                                {"simple_fsdp.deepseek_v3", "torchtitan-simple-fsdp"},
                                                {"autoparallel.llama3", "torchtitan-autoparallel"},
                                                {"autoparallel.deepseek_v3", "torchtitan-autoparallel"}}};

const std::vector<Key>& torchtitan_keys() {
  static const std::vector<Key> keys{
      {"model.name", Says::read},
      {"model.converters", Says::read},
      {"parallelism.data_parallel_replicate_degree", Says::degree, "dp_replicate"},
      {"parallelism.data_parallel_shard_degree", Says::read},
      {"parallelism.fsdp_reshard_after_forward", Says::read},
      {"parallelism.tensor_parallel_degree", Says::degree, "tp"},
      {"parallelism.disable_loss_parallel", Says::read},
      {"parallelism.enable_async_tensor_parallel", Says::unmet, "no transform for tensor parallelism that overlaps"},
      {"parallelism.pipeline_parallel_degree", Says::degree, "pp"},
      {"parallelism.pipeline_parallel_schedule", Says::read},
      {"parallelism.pipeline_parallel_microbatch_size", Says::read},
      {"parallelism.pipeline_parallel_schedule_csv", Says::unmet, "a schedule of one's own; pp has no word for it"},
      {"parallelism.pipeline_parallel_expert_parallel_overlap"},
      {"parallelism.pipeline_parallel_first_stage_less_layers"},
      {"parallelism.pipeline_parallel_last_stage_less_layers"},
      {"parallelism.pipeline_parallel_layers_per_stage"},
      {"parallelism.module_fqns_per_model_part"},
      {"parallelism.context_parallel_degree", Says::degree, "cp"},
      {"parallelism.context_parallel_load_balancer", Says::read},
      {"parallelism.context_parallel_rotate_method", Says::read},
      {"parallelism.expert_parallel_degree", Says::degree, "ep"},
      {"parallelism.expert_tensor_parallel_degree", Says::degree, "etp"},
      {"parallelism.expert_parallel_comm_backend", Says::read},
      {"activation_checkpoint.mode", Says::read},
      {"activation_checkpoint.selective_ac_option", Says::read},
      {"activation_checkpoint.preserve_rng_state", Says::read},
      {"activation_checkpoint.*"},
      {"compile.enable", Says::read},
      {"compile.components", Says::read},
      {"compile.backend", Says::read},
      {"compile.graph_passes", Says::unmet, "passes over the compiled graph; no transform for them"},
      {"compile.*passes", Says::unmet, "passes over the compiled graph; no transform for them"},
      {"training.mixed_precision_param", Says::read},
      {"training.mixed_precision_reduce", Says::read},
      {"training.dtype", Says::read},
      {"training.enable_cpu_offload", Says::unmet, "no transform for parameters kept off the device"},
      {"training.seq_len", Says::size, "sequence_length"},
      {"training.local_batch_size", Says::read},
      {"quantize.linear.float8.enable_fsdp_float8_all_gather", Says::unmet, "no transform for a gather in float8"},
      {"fault_tolerance.enable", Says::unmet, "groups of replicas that may fail; no transform for them"},
      {"optimizer.early_step_in_backward", Says::item, "optimizer=adamw:in_backward=on"}};
  return keys;
}

std::string torchtitan_cast(Reading& reading) {
  const std::string dtype = lower(reading.word("training.mixed_precision_param"));
  if (dtype.empty() || dtype == "bfloat16") return "bf16";
  if (dtype == "float16") return "fp16";
  if (dtype != "float32") reading.refuse(*reading.find("training.mixed_precision_param"), "expected bfloat16 or float32");
  return "";
}

void add_torchtitan_pipeline(Reading& reading) {
  const std::string schedule = reading.word("parallelism.pipeline_parallel_schedule");
  std::string options = schedule_option(schedule);
  if (!schedule.empty() && options.empty())
    reading.refuse(*reading.find("parallelism.pipeline_parallel_schedule"), "pp has no word for this schedule");
  const auto batch = reading.whole("training.local_batch_size");
  const long long each = reading.whole("parallelism.pipeline_parallel_microbatch_size").value_or(1);
  if (batch && each > 0 && *batch > 0 && *batch <= kMostImportedRanks && *batch % each == 0)
    options += fmt::format(":microbatches={}", *batch / each);
  reading.add_degree("pp", options);
}

void add_torchtitan_cp(Reading& reading) {
  std::string options;
  if (const Setting* rotate = reading.find("parallelism.context_parallel_rotate_method")) {
    if (rotate->text == "allgather")
      options = ":all_gather";
    else if (rotate->text == "alltoall")
      options = ":ring";
    else
      reading.refuse(*rotate, "expected allgather or alltoall");
  }
  if (const Setting* balance = reading.find("parallelism.context_parallel_load_balancer");
      balance != nullptr && !is_off(*balance)) {
    if (balance->text == "headtail")
      options += ":balance=head_tail";
    else
      reading.refuse(*balance, "cp has no word for how this balances");
  }
  reading.add_degree("cp", options);
}

void add_torchtitan_ep(Reading& reading) {
  const int etp = reading.degree("etp");
  if (reading.degree("ep") == 1 && etp > 1)
    reading.note(fmt::format("parallelism.expert_tensor_parallel_degree: {}", etp), reading.degree_origin("etp"),
                 "experts split by tensor parallelism alone; etp is an option of ep");
  reading.add_degree("ep", etp > 1 ? fmt::format(":etp={}", etp) : "");
  if (const Setting* backend = reading.find("parallelism.expert_parallel_comm_backend"); backend && backend->text != "standard")
    reading.refuse(*backend, "ep has no option for another token dispatch");
}

void add_torchtitan_checkpointing(Reading& reading) {
  const std::string mode = reading.has("activation_checkpoint.mode") ? reading.word("activation_checkpoint.mode") : "selective";
  if (mode == "none") return;
  const Origin where = reading.where("activation_checkpoint.mode");
  const bool keeps = reading.flag("activation_checkpoint.preserve_rng_state").value_or(true);
  const std::string random = keeps ? "" : ":preserve_rng_state=off";
  if (mode == "full") {
    reading.add("ac=full" + random, where);
  } else if (mode == "selective") {
    const Setting* option = reading.find("activation_checkpoint.selective_ac_option");
    const auto every = option == nullptr ? std::optional<long long>(2) : whole_of(*option);
    if (every && *every >= 1 && *every <= kMostImportedRanks)
      reading.add(fmt::format("ac=selective:n={}{}", *every, random), where);
    else if (option->text == "op")
      reading.add("sac" + random, where);
    else
      reading.refuse(*option, "expected a number or op");
  } else {
    reading.refuse(*reading.find("activation_checkpoint.mode"), "no transform for it");
  }
}

void add_torchtitan_compile(Reading& reading, bool whole_model, const FixedOrder& order) {
  const Setting* components = reading.find("compile.components");
  const bool of_model = components == nullptr || contains(components->elements, "model");
  if (!reading.flag("compile.enable").value_or(false) || !of_model) return;
  const Origin where = reading.where("compile.enable");
  if (print(order.order).find("compile") == std::string::npos)
    return reading.note("compile.enable: true", where, "this model's parallelize.py has no step that compiles");
  const std::string backend = reading.word("compile.backend");
  const bool known = backend == "inductor" || backend == "aot_eager";
  if (!backend.empty() && !known) reading.refuse(*reading.find("compile.backend"), "compile has no word for this backend");
  reading.add(fmt::format("compile{}{}", known ? "=" + backend : "", whole_model ? "@model" : ""), where);
}

void add_torchtitan_data(Reading& reading, bool simple) {
  const Setting* stated = reading.find("parallelism.data_parallel_shard_degree");
  long long shard = stated == nullptr ? -1 : reading.whole(stated->key).value_or(-1);
  if (shard == 0 || shard < -1 || shard > kMostImportedRanks) {
    reading.refuse(*stated, "expected -1 or a number of ranks");
    shard = -1;
  }
  const Origin where = stated != nullptr ? stated->where : reading.degree_origin("dp_replicate");
  const int replicate = reading.degree("dp_replicate");
  // torchtitan also shards over the cp ranks.
  const bool shards = shard != 1 || reading.degree("cp") > 1;
  const std::string cast = torchtitan_cast(reading);
  DataParallel as{.replicate = "replicate"};
  if (simple) as = {.shard = "simple_fsdp", .both = "simple_hsdp", .replicate = "simple_replicate"};
  if (const Setting* reshard = reading.find("parallelism.fsdp_reshard_after_forward")) {
    if (reshard->text == "always" || reshard->text == "never" || reshard->text == "default")
      as.sharded_options = ":reshard=" + reshard->text;
    else
      reading.refuse(*reshard, "expected default, always or never");
  }
  if (!cast.empty() && shards) as.sharded_options += ":mp=" + cast;
  if (!cast.empty() && simple) as.replicated_options = ":mp=" + cast;
  // -1 means all remaining ranks, whose number is unknown here.
  reading.add_data_parallel(replicate, shard == -1 ? 0 : static_cast<int>(shard), shards, where, as);
  // Without FSDP the step runs under autocast, except with pipeline parallelism.
  if (!cast.empty() && !simple && !shards && reading.degree("pp") == 1)
    reading.add("amp=" + cast, reading.where("training.mixed_precision_param"));
  if (const std::string reduce = lower(reading.word("training.mixed_precision_reduce")); !reduce.empty() && reduce != "float32")
    reading.refuse(*reading.find("training.mixed_precision_reduce"),
                   "mp reduces in float32; there is no option for another dtype");
  if (const std::string dtype = lower(reading.word("training.dtype")); !dtype.empty() && dtype != "float32")
    reading.refuse(*reading.find("training.dtype"), "parameters of that dtype; no transform for it");
}

void add_torchtitan_converters(Reading& reading) {
  const Setting* converters = reading.find("model.converters");
  if (converters == nullptr) return;
  for (const std::string& one : converters->elements) {
    if (one == "quantize.linear.float8" || one == "float8")
      reading.add("quantize=fp8", converters->where);
    else if (one == "quantize.linear.mx" || one == "mx")
      reading.add("quantize=mxfp8", converters->where);
    else if (one == "quantize.grouped_mm.float8")
      reading.add("quantize=fp8@experts", converters->where);
    else if (one == "quantize.grouped_mm.mx")
      reading.add("quantize=mxfp8@experts", converters->where);
    else
      reading.note("model.converters: " + one, converters->where, "no transform for this converter");
  }
}

FixedOrder torchtitan_order(Reading& reading) {
  const std::string model = reading.has("model.name") ? reading.word("model.name") : "llama3";
  std::string_view name;
  for (const OrderOfModel& one : kOrders)
    if (one.model == model) name = one.order;
  if (name.empty() && reading.has("model.name"))
    reading.refuse(*reading.find("model.name"), "the order of this model is not known; that of llama3 is taken");
  FixedOrder order = fixed_order(name.empty() ? "torchtitan-llama3" : name);
  // Before parallelize.py, converters change the model and train.py splits the pipeline; autocast wraps the step.
  Stack whole = parse_stack("quantize=fp8,pp").value();
  whole.items.insert(whole.items.end(), order.order.items.begin(), order.order.items.end());
  whole.items.push_back(parse_stack("amp=bf16").value().items.front());
  order.order = std::move(whole);
  order.source += "; train.py 154-155 and 218-254";
  return order;
}

}  // namespace

Imported torchtitan_stack(SettingList settings, const ReadBeside&) {
  Reading reading(std::move(settings), torchtitan_keys(),
                  {"parallelism.*", "compile.*", "activation_checkpoint.*", "experimental.*parallel*", "training.*parallel*"});
  const FixedOrder order = torchtitan_order(reading);
  const bool simple = order.name.starts_with("torchtitan-simple-fsdp");
  if (order.name == "torchtitan-autoparallel") {
    reading.add("auto_parallel", reading.where("model.name"));
    reading.note("parallelism", reading.where("model.name"), "AutoParallel places everything itself; the degrees are hints");
    for (const char* axis : {"pp", "tp", "cp", "ep"}) reading.set_degree(axis, 1, {});
    return reading.take("torchtitan", order, "torchtitan-" + order.release);
  }
  add_torchtitan_converters(reading);
  add_torchtitan_data(reading, simple);
  add_torchtitan_pipeline(reading);
  const bool loss_parallel = !reading.flag("parallelism.disable_loss_parallel").value_or(false);
  reading.add_degree("tp", loss_parallel ? ":loss_parallel" : "");
  add_torchtitan_ep(reading);
  add_torchtitan_cp(reading);
  add_torchtitan_checkpointing(reading);
  add_torchtitan_compile(reading, simple, order);
  return reading.take("torchtitan", order, "torchtitan-" + order.release);
}

}  // namespace ordercheck
