// Sharding as a user writes it down: each block, then the root, which takes what is left.
#pragma once

#include <string>
#include <vector>

#include "ranks/mechanism/sharded_group.h"
#include "ranks/module/module.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

// `reshard`: always, never or default. As in FSDP2 a block's parameters are freed after its forward by default, the root's are
// not. With Scope::model only the root is a group, with Scope::experts the experts of each block and the root. Parameters that are
// placed over ep, as their placements say, make groups over edp, as torchtitan's apply_fsdp has them.
void shard_blocks_and_root(const ModulePtr& model, Scope scope, const std::string& reshard, ShardedGroupOptions options);

// The same of each part of a model, as the item's scope and options say:
//
//   reshard   as above
//   mp        parameters are gathered in that dtype; gradients are reduced in their own, float32
void shard_as_item_says(const std::vector<ModulePtr>& parts, const Item& item, ShardedGroupOptions options);

// Where a model keeps its blocks: what a transform of the scope `block` acts on.

// The container of the model's blocks, its child "layers". Wrappers around the model are looked through, as a user does who
// writes `model.module.layers` or goes by the type of the blocks. Throws where there is none.
ModulePtr layers_of(const ModulePtr& model);

// The modules that the scope `block` means: the children of the model's "layers", whatever stands there now.
std::vector<ModulePtr> blocks_of(const ModulePtr& model);
std::vector<ModulePtr> blocks_of(const std::vector<ModulePtr>& parts);  // of all parts of a model

}  // namespace ordercheck::ranks
