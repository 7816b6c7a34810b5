// What FSDP2's parameter groups make:
//
//   fsdp       fully sharded data parallelism of each block, then of the rest of the model
//   hsdp       sharded data parallelism whose shards are replicated: over dp_shard within, over dp_replicate across
//   replicate  composable data parallelism, which changes each block and the root in place
#include "ranks/mechanism/sharded_blocks.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// FSDP2: fully_shard on each block, then on the root, which takes what is left. It shards over every axis whose ranks have other
// tokens of its samples, too: torchtitan's dp_shard_cp.
void apply_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  shard_as_item_says(program.parts, item,
                     {.axis = with_sequence_axes(site.mesh, "dp_shard"), .mesh = site.mesh, .rank = site.rank});
}

// FSDP2 over a mesh of two dims: fully_shard(mesh["dp_replicate", "dp_shard"]).
void apply_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  shard_as_item_says(
      program.parts, item,
      {.axis = with_sequence_axes(site.mesh, "dp_shard"), .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

// The replicate of torch.distributed._composable that is built on FSDP2's parameter groups: every parameter is registered anew
// and stays whole, and a group's gradients are summed once all of them are there. As FSDP2 it takes the values that each rank
// holds and sends none.
void apply_replicate(TrainingProgram& program, const Item&, const Site& site) {
  const ShardedGroupOptions options{.axis = "", .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank};
  for (const ModulePtr& model : program.parts) shard_blocks_and_root(model, Scope::block, "default", options);
}

}  // namespace

Transform fsdp_transform() {
  return {.built = {.name = "fsdp", .scopes = {"block", "model", "experts"}, .options = {{"reshard"}, {"mp"}}},
          .apply = apply_fsdp};
}

Transform hsdp_transform() {
  return {.built = {.name = "hsdp", .scopes = {"block", "model", "experts"}, .options = {{"reshard"}, {"mp"}}},
          .apply = apply_hsdp};
}

Transform replicate_transform() { return {.built = {.name = "replicate", .scopes = {"model"}}, .apply = apply_replicate}; }

}  // namespace ordercheck::ranks
