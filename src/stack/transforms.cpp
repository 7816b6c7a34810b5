#include "stack/transforms.h"

#include <algorithm>
#include <cassert>

namespace ordercheck {
namespace {

using enum OptionForm;
using enum OwedEffect;

std::vector<TransformInfo> catalogue() {
  // Local: other globals call transforms() while they are initialized.
  const OptionInfo reshard{.name = "reshard", .form = word, .words = {"always", "never", "default"}};
  const OptionInfo mixed_precision{.name = "mp", .form = word, .words = {"bf16", "fp16"}, .casts = true};
  // What one collective sends: all parameters of a block, or a bucket that a pass chooses. Default: one parameter.
  const OptionInfo buckets{.name = "bucket", .form = word, .words = {"transformer_block", "auto", "manual"}};
  const OptionInfo bucket_modules{.name = "bucket_modules", .form = list};  // with bucket=manual: one bucket per module
  const OptionInfo every{.name = "n", .form = count};  // every n-th block, or every n-th operator of a policy
  // How tensors are represented: local with spmd_types annotations (default), DTensors along tp and ep, or along every axis.
  const OptionInfo spmd{
      .name = "spmd", .form = word, .words = {"partial_dtensor", "full_dtensor"}, .absent = "with spmd_types"};
  // Whether recomputation restores the random state of forward. Default: on.
  const OptionInfo preserve_random_state{.name = "preserve_rng_state", .form = word, .words = {"on", "off"}};
  // Which group of parameters has the embedding and which the output. Default: both are in that of the root.
  const OptionInfo groups{.name = "groups", .form = word, .words = {"apart"}, .unsaid_if = "tied"};
  constexpr TransformKind layout = TransformKind::layout, numeric = TransformKind::numeric;
  const auto between = [](const char* name, const char* title) {
    return TransformInfo{.name = name,
                         .title = title,
                         .nested = name,
                         .kind = TransformKind::numeric,
                         .value = ValueForm::none,
                         .scope = Scope::model,
                         .axes = {},
                         .owes = {},
                         .modes = {},
                         .options = {},
                         .between = true};
  };
  return {
      {.name = "pp",
       .title = "pipeline parallel",
       .nested = "PP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"pp"},
       .owes = {pipeline},
       .modes = {},
       .options = {{.name = "gpipe", .group = "schedule"},
                   {.name = "1f1b", .group = "schedule"},
                   {.name = "interleaved", .group = "schedule"},
                   {.name = "zero_bubble", .group = "schedule"},  // backward split into inputs and weights
                   {.name = "zbv", .group = "schedule"},          // zero bubble with two stages per rank, in a V
                   {.name = "dualpipev", .group = "schedule"},
                   {.name = "microbatches", .form = count},
                   {.name = "cut", .form = word, .words = {"copy", "in_place"}}}},  // default: copy
      {.name = "tp",
       .title = "tensor parallel",
       .nested = "TP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"tp"},
       .owes = {tensor_parallel},
       .modes = {},
       .options = {{.name = "sp", .form = word, .words = {"on", "off"}, .absent = "with sequence parallel"},
                   {.name = "plan",
                    .form = word,
                    .words = {"all", "blocks"},  // blocks: no entry for modules of the root
                    .absent = "with a plan for the embedding"},
                   {.name = "rest", .form = word, .words = {"plain"}},  // modules outside of plan=blocks; default: replicated
                   {.name = "loss_parallel"},
                   spmd}},
      {.name = "ep",
       .title = "expert parallel",
       .nested = "EP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::experts,
       .axes = {},  // carved from dp_shard * cp * tp
       .owes = {expert_parallel},
       .modes = {},
       // etp: expert tensor parallel, 1 or the degree of tp.
       .options = {{.name = "etp", .form = count},
                   spmd,
                   {.name = "chunks", .form = count}}},  // exchanges one chunk of tokens while computing another
      {.name = "cp",
       .title = "context parallel",
       .nested = "CP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::attention,
       .axes = {"cp"},
       .owes = {context_parallel},
       .modes = {},
       .options = {{.name = "all_gather", .group = "exchange"},
                   {.name = "ring", .group = "exchange"},
                   {.name = "ulysses", .group = "exchange"},  // all-to-all between parts of the sequence and of the heads
                   {.name = "balance", .form = word, .words = {"head_tail"}},
                   spmd}},
      {.name = "ac",
       .title = "activation checkpointing",
       .nested = "AC",
       .kind = layout,
       .value = ValueForm::mode,
       .scope = Scope::block,
       .axes = {},
       .owes = {recompute},
       .modes = {"full", "selective"},  // selective: every n-th block
       .options = {every, {.name = "reentrant"}, preserve_random_state}},
      {.name = "sac",
       .title = "selective activation checkpointing by operator",
       .nested = "SAC",
       .kind = layout,
       .value = ValueForm::none,
       .scope = Scope::block,
       .axes = {},
       .owes = {recompute, kept},
       .modes = {},
       .options = {{.name = "policy", .form = word}, every, preserve_random_state}},
      {.name = "simple_fsdp",
       .title = "fully sharded data parallel in the graph (SimpleFSDP)",
       .nested = "SimpleFSDP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {reshard, buckets, bucket_modules, mixed_precision}},
      {.name = "simple_hsdp",
       .title = "hybrid sharded data parallel in the graph (SimpleFSDP)",
       .nested = "SimpleHSDP",
       .kind = layout,
       .value = ValueForm::degree_pair,
       .scope = Scope::model,
       .axes = {"dp_replicate", "dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {reshard, buckets, bucket_modules, mixed_precision}},
      {.name = "simple_replicate",
       .title = "replicated data parallel in the graph (SimpleFSDP)",
       .nested = "SimpleReplicate",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_replicate"},
       .owes = {replicated},
       .modes = {},
       .options = {reshard, buckets, bucket_modules, mixed_precision}},
      {.name = "compile",
       .title = "graph compilation",
       .nested = "compile",
       .kind = layout,
       .value = ValueForm::mode,
       .scope = Scope::block,
       .axes = {},
       .owes = {captured},
       .modes = {"inductor", "aot_eager"},  // default: the engine's choice
       .options = {{.name = "wrap", .absent = "in place"},
                   {.name = "fullgraph"},
                   {.name = "passes",
                    .form = list,
                    .words = {"dead_code", "common", "partition", "auto_buckets", "bucket", "overlap", "reuse"}}},
       .outermost = Scope::model},
      {.name = "fsdp",
       .title = "fully sharded data parallel (FSDP2)",
       .nested = "FSDP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::block,
       .axes = {"dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {reshard, mixed_precision, groups, spmd}},
      {.name = "hsdp",
       .title = "hybrid sharded data parallel (FSDP2)",
       .nested = "HSDP",
       .kind = layout,
       .value = ValueForm::degree_pair,
       .scope = Scope::block,
       .axes = {"dp_replicate", "dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {reshard, mixed_precision, groups, spmd}},
      {.name = "ddp",
       .title = "replicated data parallel (DDP)",
       .nested = "DDP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_replicate"},
       .owes = {replicated},
       .modes = {},
       .options = {{.name = "no_sync"}, {.name = "bucket_kib", .form = count}, {.name = "device_mesh"}}},
      {.name = "replicate",
       .title = "replicated data parallel (composable)",
       .nested = "Replicate",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_replicate"},
       .owes = {replicated},
       .modes = {},
       .options = {spmd}},
      {.name = "auto_parallel",
       .title = "automatic placement (AutoParallel)",
       .nested = "AutoParallel",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_shard"},  // splits the batch
       .owes = {placed},
       .modes = {},
       .options = {{.name = "tp", .form = count, .axis = "tp"},  // may split tensors where the batch does not
                   {.name = "replicas", .form = count, .axis = "dp_replicate"},
                   {.name = "memory", .form = word, .words = {"sharded", "replicated"}},  // default: sharded
                   {.name = "prefetch", .form = word, .words = {"counted", "free"}},      // default: counted
                   reshard},
       .captures = true},
      {.name = "amp",
       .title = "automatic mixed precision",
       .nested = "AMP",
       .kind = numeric,
       .value = ValueForm::mode,
       .scope = Scope::model,
       .axes = {},
       .owes = {moved_numbers},
       .modes = {"bf16", "fp16"},
       .options = {},
       .casts = true},
      {.name = "quantize",
       .title = "quantized linear layers",
       .nested = "quantize",
       .kind = numeric,
       .value = ValueForm::mode,
       .scope = Scope::model,
       .axes = {},
       .owes = {},
       .modes = {"fp8", "mxfp8", "int8", "int4"},
       .options = {},
       .casts = true},
      {.name = "optimizer",
       .title = "the optimizer",
       .nested = "optimizer",
       .kind = numeric,
       .value = ValueForm::mode,
       .scope = Scope::model,
       .axes = {},
       .owes = {updates},
       .modes = {"sgd", "adamw"},
       .options = {{.name = "clip", .form = number, .words = {"per_mesh"}},
                   {.name = "foreach", .form = word, .words = {"off"}},
                   {.name = "lr", .form = number},
                   {.name = "weight_decay", .form = number},
                   // The update must be the same, whether within backward or after it.
                   {.name = "in_backward", .form = word, .words = {"on"}, .layout = true}}},
      between("tie", "tying the output's weight to the embedding's"),
      between("lora", "low-rank adapters (LoRA)"),
      between("freeze", "freezing the embedding"),
      between("forward", "a call of the model"),
  };
}

}  // namespace

const std::vector<TransformInfo>& transforms() {
  static const std::vector<TransformInfo> table = catalogue();
  return table;
}

const TransformInfo* find_transform(std::string_view name) {
  const auto found = std::ranges::find(transforms(), name, &TransformInfo::name);
  return found == transforms().end() ? nullptr : &*found;
}

const TransformInfo& info_of(const Item& item) {
  const TransformInfo* info = find_transform(item.name);
  assert(info != nullptr && "an item names a transform of the catalogue");
  return *info;
}

const OptionInfo* find_option(const TransformInfo& transform, std::string_view name) {
  const auto found = std::ranges::find(transform.options, name, &OptionInfo::name);
  return found == transform.options.end() ? nullptr : &*found;
}

std::optional<Item> numeric_part(const Item& item) {
  const TransformInfo& info = info_of(item);
  Item part = item;
  if (info.kind == TransformKind::numeric) {
    std::erase_if(part.options, [&](const Option& option) { return find_option(info, option.name)->layout; });
    return part;
  }
  std::erase_if(part.options, [&](const Option& option) { return !find_option(info, option.name)->casts; });
  if (part.options.empty()) return std::nullopt;
  part.degrees.assign(info.axes.size(), Degree{1});
  return part;
}

std::string casting_part(const Item& item) {
  const TransformInfo& info = info_of(item);
  if (info.casts) return item.name;
  for (const Option& option : item.options)
    if (find_option(info, option.name)->casts) return item.name + ":" + option.name;
  return "";
}

bool casts(const Item& item) { return !casting_part(item).empty(); }

}  // namespace ordercheck
