// The transforms built on FSDP2's parameter groups:
//
//   fsdp       fully sharded data parallelism of each block, then of the rest of the model
//   hsdp       sharded over dp_shard and replicated over dp_replicate
//   replicate  composable data parallelism, which changes each block and the root in place
#include "native/transform/sharded_blocks.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// FSDP2: fully_shard on each block, then on the root for the rest. It also shards over axes that split a sample's tokens:
// torchtitan's dp_shard_cp.
void apply_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  shard_as_item_says(program.parts, item,
                     {.axis = with_sequence_axes(site.mesh, "dp_shard"), .mesh = site.mesh, .rank = site.rank});
}

// FSDP2 over a 2D mesh: fully_shard(mesh["dp_replicate", "dp_shard"]).
void apply_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  shard_as_item_says(
      program.parts, item,
      {.axis = with_sequence_axes(site.mesh, "dp_shard"), .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

// replicate of torch.distributed._composable, built on FSDP2's parameter groups. It re-registers every parameter unsharded and
// all-reduces a group's gradients once all have arrived. Like FSDP2 it does not broadcast values.
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
