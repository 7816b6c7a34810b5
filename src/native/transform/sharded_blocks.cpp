#include "native/transform/sharded_blocks.h"

#include <stdexcept>

#include "native/transform/attribute.h"
#include "native/transform/distributed_experts.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

// Distributed experts form their own group, over the ranks with the same experts.
void shard_experts(const ModulePtr& below, const ShardedGroupOptions& options) {
  ShardedGroupOptions of_experts = options;
  if (!options.axis.empty()) of_experts.axis = kSameExperts;
  for (const ModulePtr& module : modules_of(below))
    if (holds_distributed_experts(*module)) ShardedGroup::attach(module, of_experts);
}

}  // namespace

void shard_blocks_and_root(const ModulePtr& model, Scope scope, const std::string& reshard, ShardedGroupOptions options) {
  options.free_after_forward = reshard != "never";
  if (scope != Scope::model) {
    for (const ModulePtr& block : blocks_of(model)) {
      shard_experts(block, options);
      ShardedGroup::attach(scope == Scope::experts ? attribute(attribute(block, "moe"), "experts") : block, options);
    }
  }
  shard_experts(model, options);
  options.free_after_forward = reshard == "always";
  ShardedGroup::attach(model, options);
}

void shard_as_item_says(const std::vector<ModulePtr>& parts, const Item& item, ShardedGroupOptions options) {
  if (const auto dtype = option_of(item, "mp")) options.compute_dtype = *dtype == "fp16" ? at::kHalf : at::kBFloat16;
  for (const ModulePtr& model : parts)
    shard_blocks_and_root(model, scope_of(item), option_of(item, "reshard").value_or("default"), options);
}

ModulePtr layers_of(const ModulePtr& model) {
  ModulePtr inside = model;
  while (inside->is_wrapper() && !inside->child("layers")) inside = inside->children().front().second;
  const ModulePtr layers = inside->child("layers");
  if (!layers) throw std::runtime_error("the model has no child 'layers' that holds its blocks");
  return layers;
}

std::vector<ModulePtr> blocks_of(const ModulePtr& model) {
  std::vector<ModulePtr> blocks;
  for (const auto& [name, block] : layers_of(model)->children()) blocks.push_back(block);
  return blocks;
}

std::vector<ModulePtr> blocks_of(const std::vector<ModulePtr>& parts) {
  std::vector<ModulePtr> blocks;
  for (const ModulePtr& part : parts)
    for (const ModulePtr& block : blocks_of(part)) blocks.push_back(block);
  return blocks;
}

}  // namespace ordercheck::ranks
