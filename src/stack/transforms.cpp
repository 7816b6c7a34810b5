#include "stack/transforms.h"

#include <algorithm>
#include <cassert>

namespace ordercheck {
namespace {

using enum OptionForm;
using enum OwedEffect;

const OptionInfo kReshard{.name = "reshard", .form = word, .words = {"always", "never", "default"}};
const OptionInfo kMixedPrecision{.name = "mp", .form = word, .words = {"bf16", "fp16"}, .casts = true};
// What one collective sends: all of a block's parameters, or what a pass chooses. Not written: a parameter.
const OptionInfo kBuckets{.name = "bucket", .form = word, .words = {"transformer_block", "auto", "manual"}};
const OptionInfo kBucketModules{.name = "bucket_modules", .form = list};  // of bucket=manual: a bucket each
const OptionInfo kEvery{.name = "n", .form = count};  // every n-th block, or every n-th operator of a policy
// What a tensor is: a local one with annotations beside it (not written), a DTensor along tp and ep, or along every axis.
const OptionInfo kSpmd{.name = "spmd", .form = word, .words = {"partial_dtensor", "full_dtensor"}, .absent = "with spmd_types"};
// Whether what is run again draws the random numbers that it drew first; not written, it does.
const OptionInfo kPreserveRandomState{.name = "preserve_rng_state", .form = word, .words = {"on", "off"}};

std::vector<TransformInfo> catalogue() {
  constexpr TransformKind layout = TransformKind::layout, numeric = TransformKind::numeric;
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
                   {.name = "zbv", .group = "schedule"},          // the same, two stages a rank in a V
                   {.name = "dualpipev", .group = "schedule"},
                   {.name = "microbatches", .form = count},
                   {.name = "cut", .form = word, .words = {"copy", "in_place"}}}},  // not written: copy
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
                    .words = {"all", "blocks"},  // blocks: no module of the root
                    .absent = "with a plan for the embedding"},
                   {.name = "rest", .form = word, .words = {"plain"}},  // what plan=blocks leaves; not written: replicated
                   {.name = "loss_parallel"},
                   kSpmd}},
      {.name = "ep",
       .title = "expert parallel",
       .nested = "EP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::experts,
       .axes = {},  // carved from dp_shard * cp * tp
       .owes = {expert_parallel},
       .modes = {},
       .options = {{.name = "etp", .form = count},
                   kSpmd,                                // expert tensor parallel: 1 or the degree of tp
                   {.name = "chunks", .form = count}}},  // of the tokens: one is exchanged while another is computed
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
                   {.name = "balance", .form = word, .words = {"head_tail"}},
                   kSpmd}},
      {.name = "ac",
       .title = "activation checkpointing",
       .nested = "AC",
       .kind = layout,
       .value = ValueForm::mode,
       .scope = Scope::block,
       .axes = {},
       .owes = {recompute},
       .modes = {"full", "selective"},  // selective: every n-th block
       .options = {kEvery, {.name = "reentrant"}, kPreserveRandomState}},
      {.name = "sac",
       .title = "selective activation checkpointing by operator",
       .nested = "SAC",
       .kind = layout,
       .value = ValueForm::none,
       .scope = Scope::block,
       .axes = {},
       .owes = {recompute, kept},
       .modes = {},
       .options = {{.name = "policy", .form = word}, kEvery, kPreserveRandomState}},
      {.name = "simple_fsdp",
       .title = "fully sharded data parallel in the graph (SimpleFSDP)",
       .nested = "SimpleFSDP",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {kReshard, kBuckets, kBucketModules, kMixedPrecision}},
      {.name = "simple_hsdp",
       .title = "hybrid sharded data parallel in the graph (SimpleFSDP)",
       .nested = "SimpleHSDP",
       .kind = layout,
       .value = ValueForm::degree_pair,
       .scope = Scope::model,
       .axes = {"dp_replicate", "dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {kReshard, kBuckets, kBucketModules, kMixedPrecision}},
      {.name = "simple_replicate",
       .title = "replicated data parallel in the graph (SimpleFSDP)",
       .nested = "SimpleReplicate",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_replicate"},
       .owes = {replicated},
       .modes = {},
       .options = {kReshard, kBuckets, kBucketModules, kMixedPrecision}},
      {.name = "compile",
       .title = "graph compilation",
       .nested = "compile",
       .kind = layout,
       .value = ValueForm::mode,
       .scope = Scope::block,
       .axes = {},
       .owes = {captured},
       .modes = {"inductor", "aot_eager"},  // none written: what the engine compiles with by itself
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
       .options = {kReshard, kMixedPrecision, kSpmd}},
      {.name = "hsdp",
       .title = "hybrid sharded data parallel (FSDP2)",
       .nested = "HSDP",
       .kind = layout,
       .value = ValueForm::degree_pair,
       .scope = Scope::block,
       .axes = {"dp_replicate", "dp_shard"},
       .owes = {sharded},
       .modes = {},
       .options = {kReshard, kMixedPrecision, kSpmd}},
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
       .options = {kSpmd}},
      {.name = "auto_parallel",
       .title = "automatic placement (AutoParallel)",
       .nested = "AutoParallel",
       .kind = layout,
       .value = ValueForm::degree,
       .scope = Scope::model,
       .axes = {"dp_shard"},  // the batch is split over them
       .owes = {},
       .modes = {},
       .options = {{.name = "tp", .form = count, .axis = "tp"},  // that may split what the batch does not
                   {.name = "replicas", .form = count, .axis = "dp_replicate"},
                   {.name = "memory", .form = word, .words = {"sharded", "replicated"}},  // not written: sharded
                   {.name = "prefetch", .form = word, .words = {"counted", "free"}},      // not written: counted
                   kReshard},
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
                   // An update is meant to be the same one whether it comes within backward or behind it.
                   {.name = "in_backward", .form = word, .words = {"on"}, .layout = true}}},
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
