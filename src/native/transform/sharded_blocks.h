// Shards a model with FSDP2's calls as users write them: fully_shard on each block, then on the root for all other parameters.
// Also finds a model's blocks.
#pragma once

#include <string>
#include <vector>

#include "native/module/module.h"
#include "native/transform/sharded_group.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

// `reshard` says whether a group frees its full parameters after forward: always, never, or default, which is FSDP2's: blocks
// do, the root does not. Scope::model makes one group of the whole model. Scope::experts makes a group of each block's experts,
// and one of all other parameters. Parameters placed over ep form groups over edp, as in torchtitan's apply_fsdp.
void shard_blocks_and_root(const ModulePtr& model, Scope scope, const std::string& reshard, ShardedGroupOptions options);

// Shards each part of a model by the scope and the options of its stack item:
//
//   reshard   as above
//   mp        dtype in which parameters are gathered and used; gradients are reduced in the parameters' dtype, float32
void shard_as_item_says(const std::vector<ModulePtr>& parts, const Item& item, ShardedGroupOptions options);

// Returns the container of the model's blocks: its child "layers", or that of the module that it wraps, as a user writes
// `model.module.layers`. Throws if there is none.
ModulePtr layers_of(const ModulePtr& model);

// Returns the modules that an item of scope `block` applies to: the current children of the model's "layers".
std::vector<ModulePtr> blocks_of(const ModulePtr& model);
std::vector<ModulePtr> blocks_of(const std::vector<ModulePtr>& parts);  // the blocks of all pipeline stages that this rank has

}  // namespace ordercheck::ranks
